import { defineRule } from '../facts/rule.js';
import { minorOf } from '../metadata/kep-yaml.js';

/** People need time to try it and to report what is wrong. */
export const gaTooSoon = defineRule({
  id: 'KEP806',
  slug: 'ga-too-soon',
  summary: 'Two releases lie between beta and GA',
  of: 'kep',
  severity: { draft: 'off', gated: 'warn' },
  check({ yaml }, report) {
    const beta = minorOf(yaml?.milestones.get('beta')?.value);
    const field = yaml?.milestones.get('stable');
    const stable = minorOf(field?.value);
    if (beta === undefined || stable === undefined || !field || stable < beta || stable - beta >= 2) return;
    report({
      file: 'yaml',
      span: field,
      message: `stable v1.${stable} is ${stable - beta} release after beta v1.${beta}; wait two`,
    });
  },
});
