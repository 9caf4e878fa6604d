import { defineRule } from '../facts/rule.js';

/** Readers look for the title they know, and tools too. */
export const sectionRenamed = defineRule({
  id: 'KEP103',
  slug: 'section-renamed',
  summary: 'Sections have the titles of the template',
  severity: { draft: 'info', gated: 'info' },
  check({ assessed }, report) {
    for (const { wanted, match } of assessed) {
      if (match?.how !== 'like' || match.section.form !== 'heading' || !match.section.heading) continue;
      const { section } = match;
      const fix = { safety: 'safe' as const, edits: [{ ...match.section.heading.content, text: wanted.title }] };
      report({
        file: 'readme',
        span: section.span,
        section,
        message: `"${section.title}" is "${wanted.title}" in the template`,
        fix,
      });
    }
  },
});
