import { below, graduation } from '../facts/named-sections.js';
import { defineRule } from '../facts/rule.js';
import { visibleIn } from '../facts/visible-text.js';

/** What is built after beta was never tried by users. */
export const functionalCriteriaAtGa = defineRule({
  id: 'KEP808',
  slug: 'functional-criteria-at-ga',
  summary: 'Nothing functional is left for GA',
  of: 'kep',
  severity: { draft: 'off', gated: 'info' },
  check({ document, assessed }, report) {
    const section = graduation(assessed);
    const ga = section && below(section).find(({ norm }) => /(?:^|\s)(?:ga|stable)(?:\s|$)/.test(norm));
    if (!document || !ga) return;
    for (const { start, text } of visibleIn(document, ga.own.first, ga.own.last)) {
      const wants =
        /^\s*[-*+]\s+(?:\[[ xX]\]\s+)?(?:implement|add|introduce|support for|create)\b(?!.*\b(?:tests?|conformance|documentation|docs|e2e)\b)/i.exec(
          text,
        );
      if (wants)
        report({
          file: 'readme',
          span: { start: start + text.length - text.trimStart().length, end: start + text.trimEnd().length },
          section: ga,
          message: 'a criterion of GA asks for something to be built; that belongs to beta',
        });
    }
  },
});
