import { isBare, reportUnanswered } from '../facts/report-unanswered.js';
import { defineRule } from '../facts/rule.js';

/** An open question of the questionnaire is an open risk. */
export const questionUnanswered = defineRule({
  id: 'KEP202',
  slug: 'question-unanswered',
  summary: 'The questions that the stage asks for are answered',
  severity: { draft: 'warn', gated: 'error' },
  check(facts, report) {
    reportUnanswered(facts, report, (each) => each.wanted.isQuestion && isBare(each));
  },
});
