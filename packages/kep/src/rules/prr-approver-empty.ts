import { isNobody, needsApproval } from '../facts/needs-approval.js';
import { defineRule, startOfFile } from '../facts/rule.js';

/** A person has to read it. */
export const prrApproverEmpty = defineRule({
  id: 'KEP613',
  slug: 'prr-approver-empty',
  summary: 'An approval names who approves',
  of: 'kep',
  severity: { draft: 'off', gated: 'error' },
  check(facts, report) {
    const { approval } = facts;
    if (!needsApproval(facts) || !approval?.stages.has(facts.stage)) return;
    const approver = approval.stages.get(facts.stage);
    if (approver && !isNobody(approver.value)) return;
    report({ file: 'approval', span: approver ?? startOfFile, message: `${facts.stage} names no approver` });
  },
});
