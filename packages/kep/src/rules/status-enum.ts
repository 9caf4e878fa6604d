import { statuses } from '../facts/facts.js';
import { reportEnum } from '../facts/report-enum.js';
import { defineRule } from '../facts/rule.js';

/** Whether production readiness is looked at depends on it, so a slip of the fingers switches that off. */
export const statusEnum = defineRule({
  id: 'KEP504',
  slug: 'status-enum',
  summary: 'The status is a known one',
  of: 'kep',
  severity: { draft: 'error', gated: 'error' },
  whenFrozen: true,
  hard: true,
  check({ yaml }, report) {
    const status = yaml?.one('status');
    if (!status || (statuses as readonly string[]).includes(status.value)) return;
    reportEnum(status, statuses, 'status', report);
  },
});
