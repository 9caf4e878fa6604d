import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ManualClock } from './manual-clock.js';

test('ManualClock fires timers in order of time, and those set while advancing', async () => {
  const clock = new ManualClock();
  const fired: string[] = [];
  clock.after(20, () => fired.push('b'));
  clock.after(10, () => {
    fired.push('a');
    clock.after(5, () => fired.push('a+5'));
  });
  clock.after(100, () => fired.push('never')).cancel();
  await clock.advance(25);
  expect(fired).toEqual(['a', 'a+5', 'b']);
  expect(clock.monotonicMs()).toBe(25);
});

test('ManualClock fires any timers by their moment, then by their order, and none that was cancelled', async () => {
  const timer = fc.record({ delayMs: fc.nat({ max: 6 }), isCancelled: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(timer, { maxLength: 30 }), fc.nat({ max: 7 }), async (timers, byMs) => {
      const clock = new ManualClock();
      const fired: number[] = [];
      const set = timers.map(({ delayMs }, at) => clock.after(delayMs, () => fired.push(at)));
      for (const [at, one] of set.entries()) if (timers[at]?.isCancelled) one.cancel();
      const due = timers.flatMap(({ delayMs, isCancelled }, at) => (isCancelled ? [] : [{ delayMs, at }]));
      expect(clock.nextTimerMs()).toBe(due.length === 0 ? undefined : Math.min(...due.map(({ delayMs }) => delayMs)));
      await clock.advance(byMs);
      const expected = due
        .filter(({ delayMs }) => delayMs <= byMs)
        .sort((a, b) => a.delayMs - b.delayMs || a.at - b.at);
      expect(fired).toEqual(expected.map(({ at }) => at));
    }),
  );
});
