import { defineRule } from '../facts/rule.js';

/** `[]` and `[x]text` show as text. */
export const badCheckbox = defineRule({
  id: 'KEP307',
  slug: 'bad-checkbox',
  summary: 'Boxes are boxes',
  severity: { draft: 'warn', gated: 'warn' },
  check({ document }, report) {
    if (!document) return;
    for (const item of document.checklist) {
      if (!item.malformed) continue;
      const behind = document.text[item.box.end] ?? '';
      const text = `[${item.checked ? 'x' : ' '}]${behind === '' || /\s/.test(behind) ? '' : ' '}`;
      report({
        file: 'readme',
        span: item.box,
        message: `"${document.text.slice(item.box.start, item.box.end)}" shows as text, not as a box`,
        fix: { safety: 'safe', edits: [{ ...item.box, text }] },
      });
    }
  },
});
