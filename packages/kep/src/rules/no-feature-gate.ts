import { defineRule, startOfFile } from '../facts/rule.js';

/** Without a gate there is no way back but another release. */
export const noFeatureGate = defineRule({
  id: 'KEP520',
  slug: 'no-feature-gate',
  summary: 'There is a feature gate',
  of: 'kep',
  severity: { draft: 'off', gated: 'info' },
  check({ yaml }, report) {
    if (!yaml?.root || yaml.gates.length > 0) return;
    report({ file: 'yaml', span: yaml.key('feature-gates') ?? startOfFile, message: 'no feature gate is listed' });
  },
});
