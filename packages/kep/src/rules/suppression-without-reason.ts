import { defineRule } from '../facts/rule.js';

/** The next reader wants to know whether it still holds. Only required with `suppressions.requireReason`. */
export const suppressionWithoutReason = defineRule({
  id: 'KEP990',
  slug: 'suppression-without-reason',
  summary: 'A suppression gives its reason',
  severity: { draft: 'error', gated: 'error' },
  whenFrozen: true,
  // Found by `checkKep`, which alone knows what was hidden.
  check() {},
});
