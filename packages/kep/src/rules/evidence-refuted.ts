import { newestFor } from '../evidence/evidence.js';
import { defineRule, startOfFile } from '../facts/rule.js';

/** A cluster showed something else. */
export const evidenceRefuted = defineRule({
  id: 'KEP713',
  slug: 'evidence-refuted',
  summary: 'No claim is refuted by a cluster',
  of: 'kep',
  severity: { draft: 'off', gated: 'error' },
  check({ yaml, evidence, stage }, report) {
    const found = newestFor(evidence, stage);
    for (const { id, result, detail } of found?.evidence?.claims ?? []) {
      if (result !== 'refuted') continue;
      const span = yaml?.one('stage') ?? startOfFile;
      report({ file: 'yaml', span, message: `${id} was refuted${detail === '' ? '' : `: ${detail}`}` });
    }
  },
});
