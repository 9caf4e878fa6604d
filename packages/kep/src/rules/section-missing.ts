import { missingSections, reportMissing } from '../facts/report-missing.js';
import { defineRule } from '../facts/rule.js';

/** Each stage requires more. A missing section is a missing decision. */
export const sectionMissing = defineRule({
  id: 'KEP101',
  slug: 'section-missing',
  summary: 'The required sections of the stage are present',
  severity: { draft: 'warn', gated: 'error' },
  check(facts, report) {
    for (const { wanted } of missingSections(facts)) {
      if (wanted.isQuestion) continue;
      reportMissing(facts, wanted, report);
    }
  },
});
