import { defineRule, startOfFile } from '../facts/rule.js';

/** It approves something that is not there: the proposal moved to another group, or has another number. */
export const prrOrphan = defineRule({
  id: 'KEP617',
  slug: 'prr-orphan',
  summary: 'Every production readiness file belongs to a proposal',
  of: 'kep',
  severity: { draft: 'warn', gated: 'warn' },
  check({ document, source, yaml, approval, place }, report) {
    if (!approval || place || document || source || yaml) return;
    const number = approval.number;
    const message = `no proposal of this group has number ${number?.value ?? '?'}`;
    report({ file: 'approval', span: number ?? startOfFile, message });
  },
});
