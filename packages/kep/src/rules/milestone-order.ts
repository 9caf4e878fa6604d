import { defineRule } from '../facts/rule.js';
import { minorOf } from '../metadata/kep-yaml.js';

/** A beta before its alpha is a slip in one of the two. */
export const milestoneOrder = defineRule({
  id: 'KEP510',
  slug: 'milestone-order',
  summary: 'Later stages come in later releases',
  of: 'kep',
  severity: { draft: 'warn', gated: 'error' },
  check({ yaml }, report) {
    for (const row of [
      ['alpha', 'beta', 'stable'],
      ['deprecated', 'disabled', 'removed'],
    ]) {
      let before: { stage: string; minor: number } | undefined;
      for (const stage of row) {
        const field = yaml?.milestones.get(stage);
        const minor = minorOf(field?.value);
        if (!field || minor === undefined) continue;
        if (before && minor < before.minor)
          report({
            file: 'yaml',
            span: field,
            message: `${stage} v1.${minor} comes before ${before.stage} v1.${before.minor}`,
          });
        before = { stage, minor };
      }
    }
  },
});
