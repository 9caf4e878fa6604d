import { ManualClock } from '@slipway/kube/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { gather } from './gather.js';

const everyMs = 100;

test('work that had to wait for something goes on as soon as it has come', async () => {
  const clock = new ManualClock();
  let isReady = false;
  const doneAt: number[] = [];
  const flushing = gather(clock, everyMs, () => {
    if (isReady) doneAt.push(clock.monotonicMs());
    return isReady;
  });
  flushing.ask();
  await clock.advance(5);
  isReady = true;
  flushing.ask();
  await clock.advance(1);
  flushing.ask();
  await clock.advance(1_000);
  expect(doneAt).toEqual([5, 5 + everyMs]);
});

test('whenever it is asked, work is done at most once in the time, and within it after the last request', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(250), { minLength: 1, maxLength: 20 }), async (pausesMs) => {
      const clock = new ManualClock();
      const doneAt: number[] = [];
      const flushing = gather(clock, everyMs, () => doneAt.push(clock.monotonicMs()) > 0);
      for (const pauseMs of pausesMs) {
        await clock.advance(pauseMs);
        flushing.ask();
      }
      const lastAskedMs = clock.monotonicMs();
      await clock.advance(1_000);
      for (const [at, ms] of doneAt.slice(1).entries()) expect(ms - (doneAt[at] ?? 0)).toBeGreaterThanOrEqual(everyMs);
      expect(doneAt.at(-1)).toBeGreaterThanOrEqual(lastAskedMs);
      expect(doneAt.at(-1)).toBeLessThanOrEqual(lastAskedMs + everyMs);
    }),
  );
});
