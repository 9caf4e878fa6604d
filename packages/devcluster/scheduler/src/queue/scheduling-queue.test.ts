import { ManualClock } from '@slipway/kube/testing';
import { expect, test } from 'vitest';
import { demandOf } from '../demand/demand.js';
import { asking } from '../testing/a-view.js';
import { SchedulingQueue } from './scheduling-queue.js';

function aQueue() {
  const clock = new ManualClock();
  let woken = 0;
  const queue = new SchedulingQueue(clock, () => woken++);
  return { clock, queue, woken: () => woken };
}

const parked = (priority = 0) => ({
  demand: demandOf(asking({}, { priority })),
  objectors: new Set(['NodeResourcesFit']),
});
const drained = (queue: SchedulingQueue) => {
  const keys: string[] = [];
  for (let key = queue.take(); key !== undefined; key = queue.take()) keys.push(key);
  return keys.join(' ');
};

test('SchedulingQueue gives higher priorities first, then those that came first', () => {
  const { queue } = aQueue();
  for (const [key, priority] of [
    ['a', 0],
    ['b', 5],
    ['c', 0],
    ['d', 5],
    ['a', 0],
  ] as const)
    queue.add(key, priority);
  expect(drained(queue)).toBe('b d a c');
});

test('SchedulingQueue leaves a parked pod alone until something happens that may help it', () => {
  const { queue, woken } = aQueue();
  queue.park('a', parked());
  queue.add('a', 0);
  queue.wake(() => false);
  expect([queue.take(), woken()]).toEqual([undefined, 0]);
  queue.wake(({ objectors }) => objectors.has('NodeResourcesFit'));
  expect([woken(), queue.take()]).toEqual([1, 'a']);
});

test('SchedulingQueue counts failures: 1 s, doubling up to 10 s, until the pod is forgotten', async () => {
  const { clock, queue } = aQueue();
  const failsFor = async (ms: number) => {
    queue.failed('a', 0);
    await clock.advance(ms - 1);
    expect(queue.take()).toBeUndefined();
    await clock.advance(1);
    expect(queue.take()).toBe('a');
  };
  for (const ms of [1_000, 2_000, 4_000, 8_000, 10_000, 10_000]) await failsFor(ms);
  queue.forget('a');
  await failsFor(1_000);
});

test('SchedulingQueue puts a woken pod before others when its backoff is over', async () => {
  const { clock, queue } = aQueue();
  queue.park('a', parked(5));
  queue.wake(() => true);
  queue.add('b', 0);
  await clock.advance(999);
  expect(queue.take()).toBe('b');
  queue.add('b', 0);
  await clock.advance(1);
  expect(drained(queue)).toBe('a b');
});

test('SchedulingQueue tries a parked pod after five minutes whatever happened, and at once when it changed', async () => {
  const { clock, queue } = aQueue();
  queue.park('a', parked());
  await clock.advance(299_999);
  expect(queue.take()).toBeUndefined();
  await clock.advance(1);
  expect(queue.take()).toBe('a');
  queue.park('a', parked());
  queue.changed('a', 0);
  expect(queue.take()).toBe('a');
});

test('SchedulingQueue forgets a pod that is gone, with its timers', () => {
  const { clock, queue } = aQueue();
  queue.park('a', parked());
  queue.failed('b', 0);
  for (const key of ['a', 'b']) queue.forget(key);
  queue.wake(() => true);
  expect([queue.take(), clock.nextTimerMs()]).toEqual([undefined, undefined]);
});

test('SchedulingQueue leaves no timer behind when closed', () => {
  const { clock, queue } = aQueue();
  queue.park('a', parked());
  queue.failed('b', 0);
  queue.close();
  expect(clock.nextTimerMs()).toBeUndefined();
});
