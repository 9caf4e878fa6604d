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
