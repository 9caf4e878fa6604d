import { defineRule } from '../facts/rule.js';
import { proseWith, withoutCode } from '../facts/visible-text.js';

const words = ['TODO', 'FIXME', 'XXX'];
const form = /\b(?:TODO|FIXME|XXX)\b/;

/** A TODO in a proposal that is to be built is an open question without a mark. */
export const todoInText = defineRule({
  id: 'KEP306',
  slug: 'todo-in-text',
  summary: 'Nothing is left to do in the text',
  severity: { draft: 'info', gated: 'warn' },
  check({ document }, report) {
    if (!document) return;
    for (const { start, text } of proseWith(document, words)) {
      const todo = form.test(text) ? form.exec(withoutCode(text)) : null;
      if (todo)
        report({
          file: 'readme',
          span: { start: start + todo.index, end: start + todo.index + todo[0].length },
          message: `here stands ${todo[0]}`,
        });
    }
  },
});
