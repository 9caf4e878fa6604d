import { defineRule } from '../facts/rule.js';
import { proseWith } from '../facts/visible-text.js';

/** Without one of these no line is a gap. The engine finds texts of six letters by their first one. */
const marks = ['<pack', '<test', '[test '];
const form =
  /^\s*[-*]\s+`?<(?:package|test)>`?: `?<(?:date|link to test coverage)>`?.*$|^\s*-\s*\[test name\]\(https:\/\/github\.com\/kubernetes\/kubernetes\/blob\/2334b8469e.*$/;

/** Angle brackets with nothing filled in show as nothing at all on GitHub. */
export const scaffoldLeft = defineRule({
  id: 'KEP304',
  slug: 'scaffold-left',
  summary: 'No gap of the template is left',
  of: 'kep',
  severity: { draft: 'warn', gated: 'error' },
  check({ document }, report) {
    if (!document) return;
    for (const { start, text } of proseWith(document, marks)) {
      if (!form.test(text)) continue;
      const from = start + text.length - text.trimStart().length;
      const line = document.lines.at(start);
      const edit = { start: document.lines.start(line), end: document.lines.start(line + 1), text: '' };
      report({
        file: 'readme',
        span: { start: from, end: start + text.trimEnd().length },
        message: 'this line of the template is not filled in',
        fix: { safety: 'unsafe', edits: [edit] },
      });
    }
  },
});
