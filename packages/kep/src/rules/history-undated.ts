import { history } from '../facts/named-sections.js';
import { defineRule } from '../facts/rule.js';
import { textOfSection } from '../facts/visible-text.js';

/** A history without dates is a list. */
export const historyUndated = defineRule({
  id: 'KEP802',
  slug: 'history-undated',
  summary: 'The implementation history has dates',
  of: 'kep',
  severity: { draft: 'off', gated: 'info' },
  check({ document, assessed }, report) {
    const section = history(assessed);
    if (!document || !section) return;
    const text = textOfSection(document, section);
    if (text === '' || /\d{4}|\bv?1\.\d+|\b\d{1,2}[./]\d{1,2}\b/.test(text)) return;
    report({ file: 'readme', span: section.span, section, message: 'no line of the history has a date or a release' });
  },
});
