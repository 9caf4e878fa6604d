import { defineRule, startOfFile } from '../facts/rule.js';

/** Everything that lists proposals shows the title. */
export const noTitle = defineRule({
  id: 'KEP106',
  slug: 'no-title',
  summary: 'The README has a title',
  severity: { draft: 'error', gated: 'error' },
  whenFrozen: true,
  hard: true,
  check({ document, declared, template }, report) {
    if (declared && !template.sections.some(({ section }) => section.level === 1)) return;
    if (!document || document.text.trim() === '' || document.sections.some(({ level }) => level === 1)) return;
    report({ file: 'readme', span: startOfFile, message: 'there is no heading of level 1' });
  },
});
