import { reportUnanswered } from '../facts/report-unanswered.js';
import { defineRule } from '../facts/rule.js';
import { unanswered } from '../template/assess.js';

/** TBD is a promise, not an answer. */
export const placeholderAnswer = defineRule({
  id: 'KEP203',
  slug: 'placeholder-answer',
  summary: 'No answer is only a placeholder',
  severity: { draft: 'warn', gated: 'error' },
  check(facts, report) {
    for (const { wanted, match, answer } of unanswered(facts.assessed)) {
      if (answer !== 'placeholder') continue;
      reportUnanswered(facts, match.section, wanted, answer, report);
    }
  },
});
