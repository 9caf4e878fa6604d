import { expect, test } from 'vitest';
import { isAllowed } from './allow-list.js';

test.each<[string, string[], boolean]>([
  ['Fast', [], false],
  ['Fast', ['*'], true],
  ['Fast', ['Fast'], true],
  ['Fast', ['fast'], false],
  ['FastPath', ['Fast'], false],
  ['FastPath', ['Fast*'], true],
  ['FastPath', ['*Path'], true],
  ['FastPath', ['F*t*th'], true],
  ['FastPath', ['Slow*', 'Fa.tPath'], false],
  ['A.B', ['A.B'], true],
  ['AxB', ['A.B'], false],
  ['A+', ['A+', '(', '['], true],
])('isAllowed(%s, %j) is %s', (name, patterns, allowed) => {
  expect(isAllowed(name, patterns)).toBe(allowed);
});
