import { graduation } from '../facts/named-sections.js';
import { defineRule } from '../facts/rule.js';
import { textOfSection } from '../facts/visible-text.js';
import { reaches } from '../metadata/stage.js';

/** Without it, users cannot tell that the feature exists. */
export const graduationStageUncovered = defineRule({
  id: 'KEP801',
  slug: 'graduation-stage-uncovered',
  summary: 'The graduation criteria cover the stage',
  of: 'kep',
  severity: { draft: 'off', gated: 'warn' },
  check({ document, assessed, stage }, report) {
    const section = graduation(assessed);
    if (!document || !section) return;
    const text = `${textOfSection(document, section)}`;
    if (text === '') return;
    for (const [name, words] of [
      ['beta', /\bbeta\b/i],
      ['stable', /\b(?:GA|stable|general(?:ly)? availab)/i],
    ] as const) {
      if (reaches(stage, name) && !words.test(text))
        report({
          file: 'readme',
          span: section.span,
          section,
          message: `the graduation criteria say nothing about ${name}`,
        });
    }
  },
});
