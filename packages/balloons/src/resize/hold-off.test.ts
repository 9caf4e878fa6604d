import { expect, test } from 'vitest';
import { HoldOff } from './hold-off.js';

test('each failure of one spec is held off twice as long, up to half an hour; a new spec is a new chance', () => {
  const holds = new HoldOff();
  const lefts: number[] = [];
  for (let times = 0; times < 9; times++) {
    holds.note('n1', 1, 0);
    lefts.push(holds.leftMs('n1', 1, 0) / 1000);
  }
  expect(lefts).toEqual([15, 30, 60, 120, 240, 480, 960, 1_800, 1_800]);
  expect(holds.leftMs('n1', 2, 0)).toBe(0);
  expect(holds.leftMs('n1', 1, 2_000_000)).toBe(0);
});

test('what was refused is held off for as long as is said, and success ends it', () => {
  const holds = new HoldOff();
  holds.note('n1', 1, 0, 300_000);
  expect(holds.leftMs('n1', 1, 0)).toBe(300_000);
  holds.clear('n1');
  expect(holds.leftMs('n1', 1, 0)).toBe(0);
});
