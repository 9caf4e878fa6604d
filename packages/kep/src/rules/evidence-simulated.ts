import { newestFor } from '../evidence/evidence.js';
import { defineRule, startOfFile } from '../facts/rule.js';
import { reaches } from '../metadata/stage.js';

/** A simulated cluster does what we think that a real one does. */
export const evidenceSimulated = defineRule({
  id: 'KEP714',
  slug: 'evidence-simulated',
  summary: 'From beta on, claims are verified on a real cluster',
  of: 'kep',
  severity: { draft: 'off', gated: 'warn' },
  check({ yaml, evidence, stage }, report) {
    const found = newestFor(evidence, stage);
    if (!found?.evidence?.simulated || !reaches(stage, 'beta')) return;
    const isReal = evidence.some((each) => each.evidence?.stage === stage && !each.evidence.simulated);
    const span = yaml?.one('stage') ?? startOfFile;
    if (!isReal) report({ file: 'yaml', span, message: `the only evidence for ${stage} is of a simulated cluster` });
  },
});
