import { defineRule } from '../facts/rule.js';
import { textOfSection } from '../facts/visible-text.js';

/** Readers will rely on the wrong one. */
export const disableContradiction = defineRule({
  id: 'KEP707',
  slug: 'disable-contradiction',
  summary: 'README and `kep.yaml` agree on whether it can be disabled',
  of: 'kep',
  severity: { draft: 'off', gated: 'error' },
  check({ document, yaml, assessed }, report) {
    const supported = yaml?.disableSupported;
    const match = assessed.find(({ wanted }) => wanted.norm.startsWith('can the feature be disabled once'))?.match;
    if (!document || !supported || !match) return;
    const said = /^\W*(yes|no)\b(?!\s*(?:,\s*but|one\b|more\b))/i
      .exec(textOfSection(document, match.section))?.[1]
      ?.toLowerCase();
    if (said === undefined || (said === 'yes') === supported.value) return;
    report({
      file: 'readme',
      span: match.section.span,
      section: match.section,
      message: `the answer begins with "${said}", and kep.yaml says disable-supported: ${supported.value}`,
    });
  },
});
