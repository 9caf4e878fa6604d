import { defineRule } from '../facts/rule.js';

/** One that hides nothing today hides something by accident tomorrow. */
export const unusedSuppression = defineRule({
  id: 'KEP991',
  slug: 'unused-suppression',
  summary: 'A suppression hides something',
  severity: { draft: 'warn', gated: 'warn' },
  whenFrozen: true,
  // Found by `checkKep`, which alone knows what was hidden.
  check() {},
});
