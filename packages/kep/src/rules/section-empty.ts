import { reportUnanswered } from '../facts/report-unanswered.js';
import { defineRule } from '../facts/rule.js';
import { isOpen } from '../template/assess.js';

/** A heading with only the text of the template says nothing. */
export const sectionEmpty = defineRule({
  id: 'KEP201',
  slug: 'section-empty',
  summary: 'The sections that the stage asks for are filled in',
  severity: { draft: 'warn', gated: 'error' },
  check(facts, report) {
    for (const assessed of facts.assessed) {
      const { wanted, match, answer } = assessed;
      if (!isOpen(assessed) || !match || wanted.isQuestion || (answer !== 'empty' && answer !== 'scaffold-only'))
        continue;
      reportUnanswered(facts, match.section, wanted, answer, report);
    }
  },
});
