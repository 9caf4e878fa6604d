import { expect, test } from 'vitest';
import { restAfterMs } from './rest-after.js';

// objects | rests for so many ms
const cases: [number, number][] = [
  [0, 0],
  [99, 0],
  [100, 5],
  [1_000, 50],
  [10_000, 500],
  [100_000, 500],
];

test.each(cases)('restAfterMs() of a workload of %i objects', (objects, restMs) => {
  expect(restAfterMs(objects)).toBe(restMs);
});
