import { nearest } from '../document/nearest.js';
import { isNobody, needsApproval } from '../facts/needs-approval.js';
import { defineRule } from '../facts/rule.js';

/** Production readiness has its own approvers. */
export const prrApproverUnknown = defineRule({
  id: 'KEP614',
  slug: 'prr-approver-unknown',
  summary: 'The approver may approve',
  of: 'kep',
  severity: { draft: 'off', gated: 'error' },
  check(facts, report) {
    const approver = facts.approval?.stages.get(facts.stage);
    const { approvers } = facts.repository;
    if (
      !needsApproval(facts) ||
      !approver ||
      !approvers ||
      isNobody(approver.value) ||
      approvers.has(approver.value.replace(/^@/, ''))
    )
      return;
    const near = nearest(approver.value.replace(/^@/, ''), approvers);
    const hint = near ? `; did you mean @${near}?` : '';
    report({
      file: 'approval',
      span: approver,
      message: `${approver.value} is not an approver of production readiness${hint}`,
      fix: near
        ? { safety: 'unsafe', edits: [{ start: approver.start, end: approver.end, text: `"@${near}"` }] }
        : undefined,
    });
  },
});
