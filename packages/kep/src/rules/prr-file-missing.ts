import { needsApproval } from './needs-approval.js';
import { defineRule, startOfFile } from './rule.js';

/** From v1.21 on every stage needs an approval before it is built. */
export const prrFileMissing = defineRule({
  id: 'KEP611',
  slug: 'prr-file-missing',
  summary: 'There is a production readiness file',
  severity: { draft: 'off', gated: 'error' },
  check(facts, report) {
    if (!needsApproval(facts) || facts.approval || !facts.approvalPath) return;
    report({
      file: 'yaml',
      span: facts.yaml?.one('stage') ?? startOfFile,
      message: `there is no ${facts.approvalPath}`,
    });
  },
});
