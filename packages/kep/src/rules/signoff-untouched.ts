import { defineRule } from '../facts/rule.js';
import { signoffItems } from '../facts/signoff-items.js';

/** A list without any tick was never looked at. */
export const signoffUntouched = defineRule({
  id: 'KEP208',
  slug: 'signoff-untouched',
  summary: 'The signoff checklist is kept up to date',
  of: 'kep',
  severity: { draft: 'off', gated: 'warn' },
  check({ document }, report) {
    const items = document ? signoffItems(document) : [];
    const first = items[0];
    if (!first || items.some(({ checked }) => checked)) return;
    report({ file: 'readme', span: first, message: `none of the ${items.length} items is ticked` });
  },
});
