import { needsApproval } from './needs-approval.js';
import { defineRule, startOfFile } from './rule.js';

/** Somebody has to read it. */
export const prrApproverEmpty = defineRule({
  id: 'KEP613',
  slug: 'prr-approver-empty',
  summary: 'An approval names who approves',
  severity: { draft: 'off', gated: 'error' },
  check(facts, report) {
    const { approval } = facts;
    if (!needsApproval(facts) || !approval?.stages.has(facts.stage) || approval.stages.get(facts.stage)) return;
    report({ file: 'approval', span: startOfFile, message: `${facts.stage} names no approver` });
  },
});
