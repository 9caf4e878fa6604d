import { defineRule } from '../facts/rule.js';

/** A second heading of level 1 is mostly a section that lost a #. */
export const manyTitles = defineRule({
  id: 'KEP107',
  slug: 'many-titles',
  summary: 'The README has one title',
  severity: { draft: 'warn', gated: 'warn' },
  check({ document, declared, template }, report) {
    if (declared && !template.sections.some(({ section }) => section.level === 1)) return;
    const [, ...more] = document?.sections.filter(({ level }) => level === 1) ?? [];
    for (const section of more) {
      report({
        file: 'readme',
        span: section.span,
        section,
        message: `"${section.title}" is another heading of level 1`,
      });
    }
  },
});
