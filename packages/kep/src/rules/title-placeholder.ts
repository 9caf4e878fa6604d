import { defineRule } from '../facts/rule.js';

/** NNNN is where the number of the tracking issue goes. */
export const titlePlaceholder = defineRule({
  id: 'KEP305',
  slug: 'title-placeholder',
  summary: "The title is the proposal's own",
  of: 'kep',
  severity: { draft: 'warn', gated: 'error' },
  check({ document, yaml }, report) {
    const title = document?.sections.find(({ level }) => level === 1);
    if (!title?.heading || !/KEP-NNNN|Your short, descriptive title/i.test(title.title)) return;
    const number = yaml?.one('kep-number')?.value;
    const hole = title.heading.source.indexOf('NNNN');
    const start = title.heading.content.start + hole;
    const fix =
      number && /^\d+$/.test(number) && hole >= 0
        ? { safety: 'safe' as const, edits: [{ start, end: start + 4, text: number }] }
        : undefined;
    report({
      file: 'readme',
      span: title.span,
      section: title,
      message: `"${title.title}" is the title of the template`,
      fix,
    });
  },
});
