import { needsApproval } from '../facts/needs-approval.js';
import { defineRule, type Fix, type KepFacts, startOfFile } from '../facts/rule.js';

/** From v1.21 on every stage needs an approval before it is built. */
export const prrFileMissing = defineRule({
  id: 'KEP611',
  slug: 'prr-file-missing',
  summary: 'There is a production readiness file',
  of: 'kep',
  severity: { draft: 'off', gated: 'error' },
  check(facts, report) {
    if (!needsApproval(facts) || facts.approval || !facts.approvalPath) return;
    if (facts.unreadable.some(({ file }) => file === 'approval')) return;
    report({
      file: 'yaml',
      span: facts.yaml?.one('stage') ?? startOfFile,
      message: `there is no ${facts.approvalPath}`,
      fix: skeleton(facts),
    });
  },
});

/** A file to be filled in: the proposal is not approved until an approver is named. */
function skeleton({ yaml, stage }: KepFacts): Fix | undefined {
  const number = yaml?.one('kep-number')?.value;
  if (number === undefined || !/^\d+$/.test(number)) return undefined;
  const text = `kep-number: ${number}\n${stage}:\n  approver: "TBD"\n`;
  return { safety: 'safe', file: 'approval', edits: [{ start: 0, end: 0, text }] };
}
