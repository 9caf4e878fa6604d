import { defineRule } from '../facts/rule.js';

/** Without the end it is unclear what is settled. */
export const unresolvedUnbalanced = defineRule({
  id: 'KEP212',
  slug: 'unresolved-unbalanced',
  summary: 'Unresolved stretches begin and end',
  severity: { draft: 'error', gated: 'error' },
  hard: true,
  check({ document }, report) {
    for (const stretch of document?.unresolved ?? []) {
      if (!stretch.closed) report({ file: 'readme', span: stretch, message: 'this unresolved stretch never ends' });
    }
  },
});
