import { reaches } from '../template/stage.js';
import { metricFamily, saysNothing } from './identifiers.js';
import { defineRule } from './rule.js';

/** A number needs an explanation. */
export const metricNotMentioned = defineRule({
  id: 'KEP706',
  slug: 'metric-not-mentioned',
  summary: 'The README mentions the metrics of `kep.yaml`',
  severity: { draft: 'off', gated: 'warn' },
  check({ document, yaml, stage }, report) {
    if (!document || !yaml || !reaches(stage, 'beta')) return;
    for (const metric of yaml.many('metrics')) {
      const family = saysNothing(metric.value) ? undefined : metricFamily(metric.value);
      if (family?.includes('_') && !document.text.includes(family))
        report({ file: 'yaml', span: metric, message: `the README never mentions ${family}` });
    }
  },
});
