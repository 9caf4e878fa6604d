import { lineKind } from '../document/blocks.js';
import type { KepDocument } from '../document/document.js';
import { defineRule } from '../facts/rule.js';

/** `-->` inside a comment ends it, and the rest of the instructions shows. */
export const textAfterComment = defineRule({
  id: 'KEP310',
  slug: 'text-after-comment',
  summary: 'A comment ends where it is meant to end',
  severity: { draft: 'warn', gated: 'warn' },
  check({ document }, report) {
    if (!document) return;
    for (const { inline, kind, body, end } of document.comments) {
      if (inline || kind !== 'other' || !body.includes('<!--') || !isClosedAgain(document, end)) continue;
      const message = 'this comment holds another one and ends with it; the text up to the next --> is visible';
      report({ file: 'readme', span: { start: end, end }, message });
    }
  },
});

/** Whether a line of prose ends with `-->` before the next comment begins. */
function isClosedAgain({ text, lines, blocks }: KepDocument, from: number): boolean {
  const close = text.indexOf('-->', from);
  const open = text.indexOf('<!--', from);
  if (close < 0 || (open >= 0 && open < close)) return false;
  const line = lines.at(close);
  const isCode = blocks.kinds[line] === lineKind.fence || blocks.kinds[line] === lineKind.code;
  return !isCode && text.slice(close + 3, lines.end(line)).trim() === '';
}
