import { isBare, reportUnanswered } from '../facts/report-unanswered.js';
import { defineRule } from '../facts/rule.js';

/** A heading with only the text of the template says nothing. */
export const sectionEmpty = defineRule({
  id: 'KEP201',
  slug: 'section-empty',
  summary: 'The sections that the stage asks for are filled in',
  severity: { draft: 'warn', gated: 'error' },
  check(facts, report) {
    reportUnanswered(facts, report, (each) => !each.wanted.isQuestion && isBare(each));
  },
});
