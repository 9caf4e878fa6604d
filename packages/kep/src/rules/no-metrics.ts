import { defineRule, startOfFile } from '../facts/rule.js';
import { reaches } from '../metadata/stage.js';

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
