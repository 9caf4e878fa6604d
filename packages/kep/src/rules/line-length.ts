import { defineRule } from '../facts/rule.js';
import { visibleText } from '../facts/visible-text.js';

/** Reviewers comment on lines. */
export const lineLength = defineRule({
  id: 'KEP901',
  slug: 'line-length',
  summary: 'Lines are short enough to comment on',
  severity: { draft: 'off', gated: 'off' },
  check({ document }, report) {
    if (!document) return;
    for (const { start, text } of visibleText(document)) {
      if (text.length > 200 && !/^\s*(?:\||\[)/.test(text) && !/https?:\/\/\S{100}/.test(text))
        report({
          file: 'readme',
          span: { start: start + 200, end: start + text.length },
          message: `this line has ${text.length} characters`,
        });
    }
  },
});
