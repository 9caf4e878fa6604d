import { defineRule } from '../facts/rule.js';

/** Links and lists name proposals by number. */
export const titleFormat = defineRule({
  id: 'KEP108',
  slug: 'title-format',
  summary: 'The title begins with the number',
  of: 'kep',
  severity: { draft: 'info', gated: 'info' },
  check({ document }, report) {
    const title = document?.sections.find(({ level }) => level === 1);
    if (!title || /^KEP-(?:\d+|NNNN): \S/.test(title.title)) return;
    report({ file: 'readme', span: title.span, section: title, message: 'write the title as "KEP-<number>: <title>"' });
  },
});
