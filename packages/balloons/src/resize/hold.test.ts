import { expect, test } from 'vitest';
import { type Hold, holdAfterFailure, holdLeftMs } from './hold.js';

test('holdAfterFailure() doubles the hold of one attempt, up to half an hour; another attempt is not held', () => {
  let hold: Hold | undefined;
  const leftSeconds: number[] = [];
  for (let times = 0; times < 9; times++) {
    hold = holdAfterFailure(hold, 'a', 0);
    leftSeconds.push(holdLeftMs(hold, 'a', 0) / 1000);
  }
  expect(leftSeconds).toEqual([15, 30, 60, 120, 240, 480, 960, 1_800, 1_800]);
  expect(holdLeftMs(hold, 'b', 0)).toBe(0);
  expect(holdLeftMs(hold, 'a', 2_000_000)).toBe(0);
});

test('holdAfterFailure() holds for at least as long as it is told; without a hold nothing is held', () => {
  expect(holdLeftMs(holdAfterFailure(undefined, 'a', 0, 300_000), 'a', 0)).toBe(300_000);
  expect(holdLeftMs(undefined, 'a', 0)).toBe(0);
});
