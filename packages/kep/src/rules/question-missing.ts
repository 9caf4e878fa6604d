import { missingSections, reportMissing } from './report-missing.js';
import { defineRule } from './rule.js';

/** Who runs the cluster asks these before switching anything on. */
export const questionMissing = defineRule({
  id: 'KEP102',
  slug: 'question-missing',
  summary: 'The questions that the stage asks for are there',
  severity: { draft: 'warn', gated: 'error' },
  check(facts, report) {
    for (const { wanted } of missingSections(facts)) if (wanted.isQuestion) reportMissing(facts, wanted, report);
  },
});
