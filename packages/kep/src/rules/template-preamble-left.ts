import { defineRule } from '../facts/rule.js';
import { guidanceComments, wholeLines } from '../template/guidance-comments.js';

/** It tells how to begin, and the proposal has begun. */
export const templatePreambleLeft = defineRule({
  id: 'KEP302',
  slug: 'template-preamble-left',
  summary: 'The getting-started comment of the template is gone',
  of: 'kep',
  severity: { draft: 'info', gated: 'warn' },
  check({ document }, report) {
    if (!document) return;
    for (const { comment, isPreamble } of guidanceComments(document)) {
      if (!isPreamble) continue;
      const fix = { safety: 'safe' as const, edits: [wholeLines(document, comment)] };
      report({ file: 'readme', span: comment, message: 'the getting-started comment of the template is left', fix });
    }
  },
});
