import { ManualClock } from '@slipway/kube/testing';
import { expect, test } from 'vitest';
import { FailedPods } from './failed-pods.js';

test('FailedPods waits longer after each replacement at a place, and forgets in time', async () => {
  const clock = new ManualClock();
  const failed = new FailedPods(clock);
  expect([failed.replace('a'), failed.replace('a'), failed.replace('b')]).toEqual([0, 1_000, 0]);
  await clock.advance(1_000);
  expect([failed.replace('a'), failed.replace('a')]).toEqual([0, 2_000]);
  for (let round = 0; round < 12; round++) {
    await clock.advance(15 * 60_000);
    failed.replace('a');
  }
  expect(failed.replace('a')).toBe(15 * 60_000);
  await clock.advance(31 * 60_000);
  expect([failed.replace('a'), failed.replace('a')]).toEqual([0, 1_000]);
});
