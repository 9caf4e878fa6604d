import { defineRule } from './rule.js';

/** `-->` inside a comment ends it, and the rest of the instructions shows. */
export const textAfterComment = defineRule({
  id: 'KEP310',
  slug: 'text-after-comment',
  summary: 'A comment ends where it is meant to end',
  severity: { draft: 'warn', gated: 'warn' },
  check({ document }, report) {
    if (!document) return;
    for (const comment of document.comments) {
      if (comment.inline || comment.kind !== 'other' || !comment.body.includes('<!--')) continue;
      report({
        file: 'readme',
        span: { start: comment.end, end: comment.end },
        message: 'this comment holds another one and ends with it; what follows is visible',
      });
    }
  },
});
