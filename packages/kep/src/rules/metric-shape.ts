import { metricFamily, saysNothing } from '../facts/identifiers.js';
import { defineRule } from '../facts/rule.js';

/** A sentence cannot be looked up. */
export const metricShape = defineRule({
  id: 'KEP516',
  slug: 'metric-shape',
  summary: 'Metrics are named as they are scraped',
  of: 'kep',
  severity: { draft: 'warn', gated: 'warn' },
  check({ yaml }, report) {
    for (const metric of yaml?.many('metrics') ?? []) {
      if (saysNothing(metric.value) || metricFamily(metric.value) !== undefined) continue;
      report({ file: 'yaml', span: metric, message: `"${metric.value}" names no metric` });
    }
  },
});
