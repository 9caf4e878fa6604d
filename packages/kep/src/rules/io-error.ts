import { defineRule, startOfFile } from './rule.js';

/** What could not be read was not checked. */
export const ioError = defineRule({
  id: 'KEP390',
  slug: 'io-error',
  summary: 'All files of the proposal can be read',
  severity: { draft: 'error', gated: 'error' },
  whenFrozen: true,
  hard: true,
  unsuppressible: true,
  check({ unreadable }, report) {
    for (const { file, reason } of unreadable)
      report({ file, span: startOfFile, message: `the file cannot be read: ${reason}` });
  },
});
