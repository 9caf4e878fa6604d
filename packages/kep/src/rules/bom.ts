import { defineRule } from '../facts/rule.js';

/** Tools that look at the first characters, such as those for front matter, stumble over it. */
export const bom = defineRule({
  id: 'KEP003',
  slug: 'bom',
  summary: 'The README begins without a byte order mark',
  severity: { draft: 'warn', gated: 'warn' },
  whenFrozen: true,
  check({ document }, report) {
    if (!document?.bom) return;
    const span = { start: 0, end: 1 };
    const fix = { safety: 'safe' as const, edits: [{ ...span, text: '' }] };
    report({ file: 'readme', span, message: 'the file begins with a byte order mark', fix });
  },
});
