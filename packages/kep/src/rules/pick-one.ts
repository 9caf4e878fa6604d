import { defineRule } from '../facts/rule.js';
import { textOfSection } from '../facts/visible-text.js';

/** The question asks for one: a gate, or something else. */
export const pickOne = defineRule({
  id: 'KEP807',
  slug: 'pick-one',
  summary: 'Exactly one way to enable it is ticked',
  of: 'kep',
  severity: { draft: 'off', gated: 'warn' },
  check({ document, assessed }, report) {
    const match = assessed.find(({ wanted }) => wanted.norm.startsWith('how can this feature be enabled'))?.match;
    if (!document || !match) return;
    const { all, own } = match.section;
    const first = match.section.form === 'question' ? own.first : match.section.line;
    const items = document.checklist.filter(({ line }) => line > first && line <= all.last);
    const outer = Math.min(...items.map(({ indent }) => indent));
    const ways = items.filter(({ indent }) => indent === outer);
    const ticked = ways.filter(({ checked }) => checked).length;
    if (ways.length < 2 || ticked === 1 || (ticked === 0 && textOfSection(document, match.section).length > 800))
      return;
    report({
      file: 'readme',
      span: match.section.span,
      section: match.section,
      message:
        ticked === 0
          ? 'no way to enable it is ticked'
          : `${ticked} ways to enable it are ticked; the question asks for one`,
    });
  },
});
