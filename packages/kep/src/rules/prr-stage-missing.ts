import { needsApproval } from '../facts/needs-approval.js';
import { defineRule, startOfFile } from '../facts/rule.js';
import { addMapEntry } from '../metadata/edit.js';

/** The approval of alpha says nothing about beta. */
export const prrStageMissing = defineRule({
  id: 'KEP612',
  slug: 'prr-stage-missing',
  summary: 'The stage is approved for production',
  of: 'kep',
  severity: { draft: 'off', gated: 'error' },
  check(facts, report) {
    const { approval } = facts;
    if (!needsApproval(facts) || !approval || approval.problems.length > 0 || approval.stages.has(facts.stage)) return;
    report({
      file: 'approval',
      span: startOfFile,
      message: `${facts.stage} has no approver`,
      fix: { safety: 'safe', edits: [addMapEntry(approval, facts.stage, 'approver: "TBD"')] },
    });
  },
});
