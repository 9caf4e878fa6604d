import { milestoneFields } from '../facts/known-fields.js';
import { defineRule } from '../facts/rule.js';

/** `0.0` takes the proposal out of the production readiness review. */
export const milestoneZero = defineRule({
  id: 'KEP508',
  slug: 'milestone-zero',
  summary: 'The milestone is a real one',
  of: 'kep',
  severity: { draft: 'info', gated: 'warn' },
  check({ yaml }, report) {
    if (!yaml) return;
    for (const field of milestoneFields(yaml)) {
      if (/^v?0\.0$/.test(field.value))
        report({
          file: 'yaml',
          span: field,
          message: `"${field.value}" is not a release, and exempts the proposal from production readiness`,
        });
    }
  },
});
