import { defineRule, startOfFile } from '../facts/rule.js';

/** Otherwise it approves something else. */
export const prrNumber = defineRule({
  id: 'KEP615',
  slug: 'prr-number',
  summary: 'The production readiness file has the number of the proposal',
  of: 'kep',
  severity: { draft: 'off', gated: 'error' },
  check({ yaml, approval }, report) {
    const number = yaml?.one('kep-number');
    const other = approval?.number;
    if (approval?.root && !other) report({ file: 'approval', span: startOfFile, message: '"kep-number" is missing' });
    if (!number || !other || !/^\d+$/.test(number.value) || Number(number.value) === Number(other.value)) return;
    report({ file: 'approval', span: other, message: `kep-number is ${other.value}, kep.yaml says ${number.value}` });
  },
});
