import { defineRule } from '../facts/rule.js';
import { signoffItems } from '../facts/signoff-items.js';

/** `implemented` says that all is done; an open required item says that it is not. */
export const signoffOpenWhenImplemented = defineRule({
  id: 'KEP209',
  slug: 'signoff-open-when-implemented',
  summary: 'What is implemented is signed off',
  of: 'kep',
  severity: { draft: 'off', gated: 'warn' },
  check({ document, yaml }, report) {
    if (!document || yaml?.one('status')?.value !== 'implemented') return;
    const open = signoffItems(document).filter(({ isRequired, checked }) => isRequired && !checked);
    const first = open[0];
    if (first)
      report({
        file: 'readme',
        span: first,
        message: `the status is implemented, and ${open.length} items marked (R) are open`,
      });
  },
});
