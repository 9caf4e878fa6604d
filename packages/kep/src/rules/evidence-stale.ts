import { claimsHash } from '../claims/claim.js';
import { extractClaims } from '../claims/extract-claims.js';
import { newestFor } from '../evidence/evidence.js';
import { defineRule, startOfFile } from '../facts/rule.js';

/** It was for other claims, or for a release that is no longer in use. */
export const evidenceStale = defineRule({
  id: 'KEP712',
  slug: 'evidence-stale',
  summary: 'The evidence is for what the proposal claims today',
  of: 'kep',
  severity: { draft: 'off', gated: 'warn' },
  check(facts, report) {
    const { yaml, evidence, stage, milestone } = facts;
    const found = newestFor(evidence, stage)?.evidence;
    if (!yaml || !found) return;
    const span = yaml.one('stage') ?? startOfFile;
    const minor = Number(/^v?1\.(\d+)/.exec(found.serverVersion)?.[1]);
    if (found.claimsHash !== claimsHash(extractClaims(facts)))
      report({
        file: 'yaml',
        span,
        message: `the claims changed since the evidence of ${found.finishedAt.slice(0, 10)}`,
      });
    else if (milestone !== undefined && minor < milestone - 1)
      report({
        file: 'yaml',
        span,
        message: `the evidence is of ${found.serverVersion}, the stage is for v1.${milestone}`,
      });
  },
});
