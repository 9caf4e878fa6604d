import { defineRule } from '../facts/rule.js';

/** A comment without an end hides the rest of the document from every reader. */
export const unclosedComment = defineRule({
  id: 'KEP008',
  slug: 'unclosed-comment',
  summary: 'Every comment ends',
  severity: { draft: 'error', gated: 'error' },
  whenFrozen: true,
  hard: true,
  unsuppressible: true,
  check({ document }, report) {
    const start = document?.blocks.unclosedComment;
    if (!document || start === undefined) return;
    const rest = document.lines.count - document.lines.at(start) - 1;
    report({
      file: 'readme',
      span: { start, end: start + 4 },
      message: `this comment never ends; the ${rest} lines after it are invisible`,
    });
  },
});
