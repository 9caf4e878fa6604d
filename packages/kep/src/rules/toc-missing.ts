import { defineRule, startOfFile } from './rule.js';

/** Long documents need one, and the checks of kubernetes/enhancements ask for it. */
export const tocMissing = defineRule({
  id: 'KEP401',
  slug: 'toc-missing',
  summary: 'The README has a table of contents',
  severity: { draft: 'warn', gated: 'error' },
  check({ document }, report) {
    if (!document || document.toc || document.sections.filter(({ form }) => form === 'heading').length < 4) return;
    const title = document.sections.find(({ level, form }) => level === 1 && form === 'heading');
    report({
      file: 'readme',
      span: title?.span ?? startOfFile,
      message: 'there is no table of contents between <!-- toc --> and <!-- /toc -->',
    });
  },
});
