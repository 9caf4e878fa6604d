import { isTocCurrent, tableOfContents, tocText } from '../document/toc.js';
import { defineRule } from '../facts/rule.js';
import { tocEdit } from '../facts/toc-edit.js';

/** Readers follow broken links, and do not find all sections. */
export const tocStale = defineRule({
  id: 'KEP402',
  slug: 'toc-stale',
  summary: 'The table of contents lists the headings',
  severity: { draft: 'warn', gated: 'error' },
  check({ document }, report) {
    if (!document?.toc || isTocCurrent(document)) return;
    const wanted = tableOfContents(document) ?? '';
    const there = new Set(
      (tocText(document) ?? '')
        .split('\n')
        .map((line) => line.trim())
        .filter(Boolean),
    );
    const lines = wanted.split('\n').map((line) => line.trim());
    const missing = lines.filter((line) => !there.has(line)).length;
    const extra = there.size - (lines.length - missing);
    const message =
      missing + extra > 0
        ? `the table of contents misses ${missing} headings and lists ${Math.max(0, extra)} that are not there`
        : 'the table of contents has another order or indentation';
    report({
      file: 'readme',
      span: document.toc.open,
      message,
      fix: { safety: 'safe', edits: [tocEdit(document, wanted)] },
    });
  },
});
