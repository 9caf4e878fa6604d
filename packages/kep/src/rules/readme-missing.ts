import { defineRule, startOfFile } from '../facts/rule.js';

/** Without it there is metadata about nothing. */
export const readmeMissing = defineRule({
  id: 'KEP111',
  slug: 'readme-missing',
  summary: 'The proposal has a README',
  of: 'kep',
  severity: { draft: 'error', gated: 'error' },
  hard: true,
  check({ document, source, place, unreadable }, report) {
    if (document || source || !place || unreadable.some(({ file }) => file === 'readme')) return;
    report({ file: 'readme', span: startOfFile, message: 'there is no README.md' });
  },
});
