import { expect, test } from 'vitest';
import { roundedDown, roundedUp } from './int-or-percent.js';

// value | of | up | down
const cases: [number | string, number, number, number][] = [
  [2, 10, 2, 2],
  ['25%', 10, 3, 2],
  ['25%', 4, 1, 1],
  ['0%', 10, 0, 0],
  ['100%', 7, 7, 7],
  ['150%', 4, 6, 6],
  ['1%', 0, 0, 0],
];

test.each(cases)('%s of %i is %i rounded up and %i rounded down', (value, total, up, down) => {
  expect([roundedUp(value, total), roundedDown(value, total)]).toEqual([up, down]);
});

test.each(['25', '%', '-1%', '1.5%', ''])('roundedUp() refuses %j', (value) => {
  expect(() => roundedUp(value, 1)).toThrow(RangeError);
});
