import { reaches } from '../template/stage.js';
import { defineRule, startOfFile } from './rule.js';

/** What cannot be observed cannot be operated. */
export const noMetrics = defineRule({
  id: 'KEP521',
  slug: 'no-metrics',
  summary: 'From beta on there are metrics',
  of: 'kep',
  severity: { draft: 'off', gated: 'warn' },
  check({ yaml, stage }, report) {
    if (!yaml?.root || !reaches(stage, 'beta') || yaml.many('metrics').length > 0) return;
    report({
      file: 'yaml',
      span: yaml.key('metrics') ?? startOfFile,
      message: 'no metric is listed, and the stage is past alpha',
    });
  },
});
