import { reportUnanswered } from '../facts/report-unanswered.js';
import { defineRule } from '../facts/rule.js';
import { unanswered } from '../template/assess.js';

/** An open question of the questionnaire is an open risk. */
export const questionUnanswered = defineRule({
  id: 'KEP202',
  slug: 'question-unanswered',
  summary: 'The questions that the stage asks for are answered',
  severity: { draft: 'warn', gated: 'error' },
  check(facts, report) {
    for (const { wanted, match, answer } of unanswered(facts.assessed)) {
      if (!wanted.isQuestion || (answer !== 'empty' && answer !== 'scaffold-only')) continue;
      reportUnanswered(facts, match.section, wanted, answer, report);
    }
  },
});
