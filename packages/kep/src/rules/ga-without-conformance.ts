import { graduation } from '../facts/named-sections.js';
import { defineRule } from '../facts/rule.js';
import { textOfSection } from '../facts/visible-text.js';
import { reaches } from '../metadata/stage.js';

/** A feature that every cluster has must behave alike in every cluster. */
export const gaWithoutConformance = defineRule({
  id: 'KEP805',
  slug: 'ga-without-conformance',
  summary: 'What is not optional has conformance tests at GA',
  of: 'kep',
  severity: { draft: 'off', gated: 'info' },
  check({ document, assessed, stage }, report) {
    const section = graduation(assessed);
    if (!document || !section || !reaches(stage, 'stable')) return;
    const text = textOfSection(document, section);
    if (text === '' || /conformance|\boptional\b/i.test(text)) return;
    report({
      file: 'readme',
      span: section.span,
      section,
      message: 'the criteria of GA name no conformance tests and do not say that the feature is optional',
    });
  },
});
