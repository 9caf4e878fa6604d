import { ManualClock } from '@slipway/kube/testing';
import { expect, test } from 'vitest';
import { scaledClock } from './scaled-clock.js';

test('scaledClock() is right at first, then passes faster, and so do its timers', async () => {
  const base = new ManualClock();
  const clock = scaledClock(50, base);
  const startMs = base.now();
  expect(clock.now()).toBe(startMs);
  const fired: number[] = [];
  clock.after(40_000, () => fired.push(clock.monotonicMs()));
  clock.after(50_000, () => fired.push(-1)).cancel();
  await base.advance(799);
  expect(fired).toEqual([]);
  await base.advance(201);
  expect(fired).toEqual([40_000]);
  expect(clock.now()).toBe(startMs + 50_000);
  expect(clock.machineMs?.()).toBe(1_000);
  expect(scaledClock(2, clock).machineMs?.()).toBe(1_000);
});
