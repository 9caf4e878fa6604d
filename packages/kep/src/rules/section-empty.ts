import { reportUnanswered } from '../facts/report-unanswered.js';
import { defineRule } from '../facts/rule.js';
import { unanswered } from '../template/assess.js';

/** A heading with only the text of the template says nothing. */
export const sectionEmpty = defineRule({
  id: 'KEP201',
  slug: 'section-empty',
  summary: 'The sections that the stage asks for are filled in',
  severity: { draft: 'warn', gated: 'error' },
  check(facts, report) {
    for (const { wanted, match, answer } of unanswered(facts.assessed)) {
      if (wanted.isQuestion || (answer !== 'empty' && answer !== 'scaffold-only')) continue;
      reportUnanswered(facts, match.section, wanted, answer, report);
    }
  },
});
