import { defineRule } from '../facts/rule.js';

/** A closing mark with less indentation than its item opens a new code block; GitHub shows the rest as code. */
export const fenceEscapesList = defineRule({
  id: 'KEP408',
  slug: 'fence-escapes-list',
  summary: 'Code in a list stays in the list',
  severity: { draft: 'error', gated: 'error' },
  check({ document }, report) {
    if (!document) return;
    const byLine = new Map(document.fences.map((fence) => [fence.line, fence]));
    for (const fence of document.fences) {
      if (fence.ending !== 'escaped') continue;
      const next = byLine.get(fence.lastLine + 1);
      if (next?.info !== '') continue;
      const span = { start: next.start, end: document.lines.end(next.line) };
      const opening = document.lines.start(fence.line);
      const blanks = document.text.slice(opening, fence.start).replace(/[^\t]/g, ' ');
      const fix = {
        safety: 'safe' as const,
        edits: [{ start: document.lines.start(next.line), end: next.start, text: blanks }],
      };
      report({
        file: 'readme',
        span,
        message: `this does not close the code block of line ${fence.line + 1}: it stands outside of its list item`,
        fix,
      });
    }
  },
});
