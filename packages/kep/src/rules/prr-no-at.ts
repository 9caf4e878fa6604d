import { isNobody } from '../facts/needs-approval.js';
import { defineRule } from '../facts/rule.js';

/** As everywhere in `kep.yaml`. */
export const prrNoAt = defineRule({
  id: 'KEP616',
  slug: 'prr-no-at',
  summary: 'Approvers are written with @',
  of: 'kep',
  severity: { draft: 'warn', gated: 'warn' },
  check({ approval }, report) {
    for (const approver of approval?.stages.values() ?? []) {
      if (!approver || approver.value.startsWith('@') || !/^[A-Za-z0-9-]+$/.test(approver.value)) continue;
      if (isNobody(approver.value)) continue;
      const fix = {
        safety: 'safe' as const,
        edits: [{ start: approver.start, end: approver.end, text: `"@${approver.value}"` }],
      };
      report({ file: 'approval', span: approver, message: `write "@${approver.value}"`, fix });
    }
  },
});
