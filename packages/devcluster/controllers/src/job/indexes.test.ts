import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatIndexes, parseIndexes } from './indexes.js';

test.each([
  [[], ''],
  [[3], '3'],
  [[1, 2], '1,2'],
  [[4, 2, 3], '2-4'],
  [[0, 2, 3, 5, 6, 7], '0,2,3,5-7'],
])('formatIndexes() of %j', (indexes, text) => {
  expect(formatIndexes(indexes)).toBe(text);
});

test('parseIndexes() leaves out what is not an index of the job', () => {
  expect([...parseIndexes('1,3-9,x,12', 6)]).toEqual([1, 3, 4, 5]);
  expect([...parseIndexes(undefined, 6)]).toEqual([]);
});

test('any indexes survive being written and read', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(50)), (indexes) => {
      expect([...parseIndexes(formatIndexes(indexes), 51)].sort((a, b) => a - b)).toEqual(
        indexes.sort((a, b) => a - b),
      );
    }),
  );
});
