import { defineRule } from '../facts/rule.js';

/** A code block without an end turns the rest of the document into code. */
export const unclosedFence = defineRule({
  id: 'KEP009',
  slug: 'unclosed-fence',
  summary: 'Every code block ends',
  severity: { draft: 'error', gated: 'error' },
  whenFrozen: true,
  hard: true,
  check({ document }, report) {
    const fence = document?.blocks.unclosedFence;
    if (!document || !fence) return;
    const span = { start: fence.start, end: document.lines.end(fence.line) };
    report({
      file: 'readme',
      span,
      message: `this code block never ends; the ${fence.lastLine - fence.line} lines after it are code`,
    });
  },
});
