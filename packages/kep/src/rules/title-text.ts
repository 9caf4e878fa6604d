import { normalizeTitle } from '../document/normalize-title.js';
import { defineRule } from '../facts/rule.js';

/** Lists show one, readers see the other. */
export const titleText = defineRule({
  id: 'KEP605',
  slug: 'title-text',
  summary: 'The title is that of `kep.yaml`',
  of: 'kep',
  severity: { draft: 'info', gated: 'info' },
  check({ document, yaml }, report) {
    const title = document?.sections.find(({ level }) => level === 1);
    const other = yaml?.one('title');
    if (!title || !other) return;
    const words = normalizeTitle(title.title.replace(/^KEP[- #]?(?:\d+|NNNN)\s*[:-]?/i, ''));
    if (words !== normalizeTitle(other.value))
      report({
        file: 'readme',
        span: title.span,
        section: title,
        message: `the title in kep.yaml is "${other.value}"`,
      });
  },
});
