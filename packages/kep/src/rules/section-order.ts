import { defineRule } from '../facts/rule.js';

/** Reviewers read many proposals, and find things where they always are. */
export const sectionOrder = defineRule({
  id: 'KEP105',
  slug: 'section-order',
  summary: 'Sections stand in the order of the template',
  severity: { draft: 'info', gated: 'info' },
  check({ assessed }, report) {
    let last = -1;
    let before = '';
    for (const { wanted, match } of assessed) {
      if (!match || match.section.level > 2 || wanted.section.level !== 2) continue;
      const { section } = match;
      if (section.line < last) {
        report({
          file: 'readme',
          span: section.span,
          section,
          message: `"${section.title}" stands before "${before}"; the template has it after`,
        });
        continue;
      }
      last = section.line;
      before = section.title;
    }
  },
});
