import { defineRule } from '../facts/rule.js';

/** Links are made from either. */
export const numberVsDirectory = defineRule({
  id: 'KEP601',
  slug: 'number-vs-directory',
  summary: 'The number is that of the directory',
  of: 'kep',
  severity: { draft: 'error', gated: 'error' },
  whenFrozen: true,
  hard: true,
  check({ yaml, place }, report) {
    const number = yaml?.one('kep-number');
    if (!number || !place) return;
    if (!/^\d+$/.test(number.value))
      report({ file: 'yaml', span: number, message: `kep-number: "${number.value}" is not a number` });
    else if (place.number !== undefined && Number(place.number) !== Number(number.value))
      report({
        file: 'yaml',
        span: number,
        message: `kep-number is ${number.value}, the directory says ${place.number}`,
      });
  },
});
