import { newestFor } from '../evidence/evidence.js';
import { defineRule, startOfFile } from '../facts/rule.js';
import { reaches } from '../metadata/stage.js';

/** From beta on many rely on what the proposal says. Off until a repository keeps evidence. */
export const evidenceMissing = defineRule({
  id: 'KEP711',
  slug: 'evidence-missing',
  summary: 'From beta on, claims are verified on a cluster',
  of: 'kep',
  severity: { draft: 'off', gated: 'off' },
  check({ yaml, evidence, stage }, report) {
    if (!yaml || !reaches(stage, 'beta') || newestFor(evidence, stage)) return;
    const span = yaml.one('stage') ?? startOfFile;
    report({ file: 'yaml', span, message: `there is no evidence for ${stage}; slipway kep verify writes it` });
  },
});
