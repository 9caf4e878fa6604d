import { defineRule } from '../facts/rule.js';
import { guidanceComments } from '../template/guidance-comments.js';

/** Notes to oneself are read by everybody who opens the source. Off unless it is asked for. */
export const otherComment = defineRule({
  id: 'KEP303',
  slug: 'other-comment',
  summary: 'There are no comments but those with a meaning',
  severity: { draft: 'off', gated: 'off' },
  check({ document }, report) {
    if (!document) return;
    const guidance = new Set(guidanceComments(document).map(({ comment }) => comment));
    for (const comment of document.comments) {
      if (comment.kind === 'other' && !guidance.has(comment))
        report({ file: 'readme', span: comment, message: 'readers of the page do not see this comment' });
    }
  },
});
