import { defineRule } from '../facts/rule.js';

/** What is still argued about cannot be implementable. */
export const unresolved = defineRule({
  id: 'KEP211',
  slug: 'unresolved',
  summary: 'Nothing is unresolved',
  severity: { draft: 'info', gated: 'error' },
  check({ document }, report) {
    for (const stretch of document?.unresolved ?? []) {
      if (!stretch.closed) continue;
      const about = stretch.topic ? `: ${stretch.topic}` : '';
      report({ file: 'readme', span: stretch, message: `this is still unresolved${about}` });
    }
  },
});
