import { defineRule } from '../facts/rule.js';

const maxCharacters = 20_000;

/** Lines above 20,000 characters are data; what is written in them is not looked at. */
export const lineTooLongForInline = defineRule({
  id: 'KEP012',
  slug: 'line-too-long-for-inline',
  summary: 'No line is too long to be looked into',
  severity: { draft: 'info', gated: 'info' },
  check({ document }, report) {
    if (!document) return;
    const { lines, text } = document;
    for (let start = 0; start + maxCharacters < text.length; ) {
      // From one start of a line to another no further away than this, every line is short.
      const line = lines.at(start + maxCharacters);
      const from = lines.start(line);
      const characters = lines.end(line) - start;
      if (from === start && characters > maxCharacters)
        report({ file: 'readme', span: { start, end: start }, message: `this line has ${characters} characters` });
      start = from > start ? from : lines.start(line + 1);
    }
  },
});
