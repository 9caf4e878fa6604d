import { nearest } from '../document/nearest.js';
import { statuses } from '../facts/facts.js';
import { defineRule } from '../facts/rule.js';
import { minorOf } from '../metadata/kep-yaml.js';

/** A misspelt status or a milestone that is none takes the proposal out of the review. */
export const prrBypassed = defineRule({
  id: 'KEP618',
  slug: 'prr-bypassed',
  summary: 'Nothing switches production readiness off',
  of: 'kep',
  severity: { draft: 'warn', gated: 'warn' },
  check({ yaml, phase }, report) {
    const status = yaml?.one('status');
    const latest = yaml?.one('latest-milestone');
    if (
      status &&
      !(statuses as readonly string[]).includes(status.value) &&
      nearest(status.value, ['implementable', 'implemented'])
    )
      report({
        file: 'yaml',
        span: status,
        message: `status "${status.value}" skips the production readiness review`,
      });
    else if (phase === 'gated' && latest && minorOf(latest.value) === undefined)
      report({
        file: 'yaml',
        span: latest,
        message: `milestone "${latest.value}" skips the production readiness review`,
      });
  },
});
