import { defineRule } from '../facts/rule.js';

/** Text copied from a rendered page lost its nesting and its comments, and carries line numbers or buttons. */
export const webPagePaste = defineRule({
  id: 'KEP007',
  slug: 'web-page-paste',
  summary: 'The README is source, not a copied web page',
  severity: { draft: 'error', gated: 'error' },
  whenFrozen: true,
  check({ document }, report) {
    if (!document) return;
    const { lines, text } = document;
    const { count } = lines;
    // Few documents have any of this in their first lines.
    if (!/ loc\)|this (?:note|gist)|^\s*1\s*$/im.test(text.slice(0, lines.end(Math.min(count, 60) - 1)))) return;
    const line = (at: number) => text.slice(lines.start(at), lines.end(at)).trim();
    let first = -1;
    for (let at = 0; at < Math.min(count, 60) && first < 0; at++) {
      if (/^\d+ lines \(\d+ loc\)/.test(line(at)) || /\b(?:owned|created) this (?:note|gist)\b/i.test(line(at)))
        first = at;
      if (line(at) === '1' && line(at + 1) === '2' && line(at + 2) === '3') first = at;
    }
    if (first < 0) return;
    let last = first;
    while (last + 1 < count && /^(?:\d+|)$/.test(line(last + 1))) last++;
    const end = lines.start(last + 1);
    const message = 'the file begins like a copied web page: buttons or line numbers stand before the text';
    const fix = { safety: 'unsafe' as const, edits: [{ start: 0, end, text: '' }] };
    report({ file: 'readme', span: { start: lines.start(first), end: lines.end(first) }, message, fix });
  },
});
