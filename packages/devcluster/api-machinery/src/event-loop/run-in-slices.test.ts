import { systemClock } from '@slipway/kube';
import { expect, test } from 'vitest';
import type { Resumable } from './resumable.js';
import { runInSlices, startInSlices } from './run-in-slices.js';

/** Work of so many steps, each of which takes a millisecond, and what happened meanwhile. */
function aWork(steps: number, fails = false) {
  let ms = 0;
  const clock = { ...systemClock, machineMs: () => ms };
  const order: string[] = [];
  const work = function* (): Resumable<string> {
    for (let step = 0; step < steps; step++) {
      order.push('step');
      ms++;
      yield;
    }
    if (fails) throw new Error('no');
    return 'done';
  };
  return { clock, order, work: work() };
}

test.each([
  [50, true],
  [60, false],
])('startInSlices() of %i steps of a millisecond returns the result synchronously: %s', async (steps, isSync) => {
  const { clock, order, work } = aWork(steps);
  const result = startInSlices(work, clock);
  expect(result instanceof Promise).toBe(!isSync);
  order.push('others');
  expect(await result).toBe('done');
  expect(order.filter((what) => what === 'step')).toHaveLength(steps);
  expect(order.indexOf('others')).toBe(isSync ? 50 : 51);
});

test('runInSlices() yields to the event loop after each slice', async () => {
  const { clock, order, work } = aWork(30);
  const others = () => {
    order.push('others');
    if (!isOver) setImmediate(others);
  };
  let isOver = false;
  const result = runInSlices(work, clock);
  others();
  await result;
  isOver = true;
  const slices = order.join(' ').split(/(?: ?others ?)+/);
  expect(slices.filter(Boolean).map((steps) => steps.split(' ').length)).toEqual([8, 8, 8, 6]);
});

test('startInSlices() passes on what the work throws, at once and later', async () => {
  const [short, long] = [aWork(1, true), aWork(100, true)];
  expect(() => startInSlices(short.work, short.clock)).toThrow('no');
  await expect(startInSlices(long.work, long.clock)).rejects.toThrow('no');
});

test('at most one slice of all works runs between two turns of others, and every work has its turn', async () => {
  const works = Array.from({ length: 5 }, () => aWork(100));
  let slices = 0;
  const most: number[] = [];
  const others = () => {
    most.push(slices);
    slices = 0;
    if (!isOver) setImmediate(others);
  };
  let isOver = false;
  const counted = function* (work: Resumable<string>): Resumable<string> {
    slices++;
    for (let left = 8; ; left--) {
      const step = work.next();
      if (step.done) return step.value;
      yield;
      if (left > 1) continue;
      slices++;
      left = 9;
    }
  };
  const results = works.map(({ work, clock }) => runInSlices(counted(work), clock));
  others();
  expect(await Promise.all(results)).toEqual(new Array(5).fill('done'));
  isOver = true;
  expect(Math.max(...most)).toBe(1);
});
