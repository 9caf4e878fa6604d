import { defineRule } from '../facts/rule.js';

/** Lines above 20,000 characters are data; what is written in them is not looked at. */
export const lineTooLongForInline = defineRule({
  id: 'KEP012',
  slug: 'line-too-long-for-inline',
  summary: 'No line is too long to be looked into',
  severity: { draft: 'info', gated: 'info' },
  check({ document }, report) {
    if (!document) return;
    for (let line = 0; line < document.lines.count; line++) {
      const start = document.lines.start(line);
      const end = document.lines.end(line);
      if (end - start > 20_000)
        report({ file: 'readme', span: { start, end: start }, message: `this line has ${end - start} characters` });
    }
  },
});
