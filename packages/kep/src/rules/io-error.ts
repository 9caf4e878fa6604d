import { defineRule, startOfFile } from '../facts/rule.js';

/** What could not be read was not checked; `checkKep` adds the rules that failed. */
export const ioError = defineRule({
  id: 'KEP390',
  slug: 'io-error',
  summary: 'All files of the proposal can be read and checked',
  severity: { draft: 'error', gated: 'error' },
  whenFrozen: true,
  hard: true,
  unsuppressible: true,
  check({ unreadable }, report) {
    for (const { file, reason } of unreadable)
      report({ file, span: startOfFile, message: `cannot be read: ${reason}` });
  },
});
