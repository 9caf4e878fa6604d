import { defineRule } from './rule.js';
import { signoffItems } from './signoff-items.js';

/** Items marked (R) have to be done before a release takes the enhancement. */
export const signoffRequiredUnchecked = defineRule({
  id: 'KEP207',
  slug: 'signoff-required-unchecked',
  summary: 'What is required for a release is ticked',
  severity: { draft: 'off', gated: 'warn' },
  check({ document }, report) {
    const items = document ? signoffItems(document) : [];
    const required = items.filter(({ isRequired }) => isRequired);
    const open = required.filter(({ checked }) => !checked);
    const first = open[0];
    if (!first || items.every(({ checked }) => !checked)) return;
    report({
      file: 'readme',
      span: first,
      message: `${open.length} of ${required.length} items marked (R) are not ticked`,
    });
  },
});
