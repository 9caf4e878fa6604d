import { expect, test } from 'vitest';
import { ManualClock } from '../testing/manual-clock.js';
import { TokenBucket } from './token-bucket.js';

test('TokenBucket allows its burst at once and its rate after that', async () => {
  const clock = new ManualClock();
  const bucket = new TokenBucket({ clock, perSecond: 10, burst: 2 });
  expect([bucket.reserve(), bucket.reserve(), bucket.reserve(), bucket.reserve()]).toEqual([0, 0, 100, 200]);
  await clock.advance(10_000);
  expect([bucket.tryTake(), bucket.tryTake(), bucket.tryTake()]).toEqual([true, true, false]);
});

test('TokenBucket never asks for a longer wait than allowed, and has then recovered', async () => {
  const clock = new ManualClock();
  const bucket = new TokenBucket({ clock, perSecond: 1, burst: 1, maxWaitMs: 5000 });
  const waits = Array.from({ length: 100 }, () => bucket.reserve());
  expect(Math.max(...waits)).toBe(5000);
  await clock.advance(6000);
  expect(bucket.reserve()).toBe(0);
});

test('TokenBucket refuses a rate or burst nothing could pass', () => {
  const clock = new ManualClock();
  expect(() => new TokenBucket({ clock, perSecond: 0, burst: 1 })).toThrow(RangeError);
  expect(() => new TokenBucket({ clock, perSecond: 1, burst: 0.5 })).toThrow(RangeError);
});
