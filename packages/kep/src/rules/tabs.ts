import { defineRule } from '../facts/rule.js';
import { visibleText } from '../facts/visible-text.js';

/** A tab is as wide as the reader's editor makes it. */
export const tabs = defineRule({
  id: 'KEP902',
  slug: 'tabs',
  summary: 'Text is indented with blanks',
  severity: { draft: 'off', gated: 'off' },
  check({ document }, report) {
    if (!document) return;
    for (const { start, text } of visibleText(document)) {
      const tab = text.indexOf('\t');
      if (tab >= 0)
        report({ file: 'readme', span: { start: start + tab, end: start + tab + 1 }, message: 'here stands a tab' });
    }
  },
});
