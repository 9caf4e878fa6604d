import { reportUnanswered } from '../facts/report-unanswered.js';
import { defineRule } from '../facts/rule.js';

/** TBD is a promise, not an answer. */
export const placeholderAnswer = defineRule({
  id: 'KEP203',
  slug: 'placeholder-answer',
  summary: 'No answer is only a placeholder',
  severity: { draft: 'warn', gated: 'error' },
  check(facts, report) {
    reportUnanswered(facts, report, ({ answer }) => answer === 'placeholder');
  },
});
