import { sectionAt } from '../document/document.js';
import type { Section } from '../document/sections.js';
import { defineRule } from '../facts/rule.js';
import { unanswered } from '../template/assess.js';
import { guidanceComments, wholeLines } from '../template/guidance-comments.js';

/** They were for the author. Readers of the source have to read around them. */
export const templateCommentLeft = defineRule({
  id: 'KEP301',
  slug: 'template-comment-left',
  summary: 'The instructions of the template are gone',
  severity: { draft: 'off', gated: 'info' },
  check(facts, report) {
    const { document } = facts;
    if (!document) return;
    const left = guidanceComments(document).filter(({ isPreamble }) => !isPreamble);
    const first = left[0];
    if (!first) return;
    const open = new Set<Section | undefined>(unanswered(facts.assessed).map(({ match }) => match.section));
    const edits = left
      .filter(({ comment }) => !open.has(sectionAt(document.sections, document.lines.at(comment.start))))
      .map(({ comment }) => wholeLines(document, comment));
    const fix = edits.length > 0 ? { safety: 'safe' as const, edits } : undefined;
    report({
      file: 'readme',
      span: first.comment,
      message: `${left.length} instruction comments of the template are left`,
      fix,
    });
  },
});
