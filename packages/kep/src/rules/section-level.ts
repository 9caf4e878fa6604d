import { defineRule } from '../facts/rule.js';
import { levelChanges } from '../template/levels.js';

/** A heading at another level belongs to another section, and the table of contents shows it there. */
export const sectionLevel = defineRule({
  id: 'KEP104',
  slug: 'section-level',
  summary: 'Sections stand at the level of the template',
  severity: { draft: 'info', gated: 'warn' },
  check({ document, assessed }, report) {
    const differs = assessed.some(({ wanted, match }) => match && match.section.level !== wanted.section.level);
    if (!document || !differs) return;
    const matched = assessed.flatMap(({ wanted, match }) => (match ? [[wanted, match.section] as const] : []));
    const changes = new Map(levelChanges(document, matched).map(({ section, edit }) => [section, edit]));
    for (const { wanted, match } of assessed) {
      const { section } = match ?? {};
      if (section?.form !== 'heading' || section.level === wanted.section.level || wanted.section.level === 1) continue;
      const message = `"${section.title}" is a heading of level ${section.level}; the template has level ${wanted.section.level}`;
      const edit = changes.get(section);
      const fix = edit && { safety: 'safe' as const, edits: [edit] };
      report({ file: 'readme', span: section.span, section, message, fix });
    }
  },
});
