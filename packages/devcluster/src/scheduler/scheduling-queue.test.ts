import { ManualClock } from '@slipway/kube/testing';
import { expect, test } from 'vitest';
import { SchedulingQueue } from './scheduling-queue.js';

function aQueue() {
  const clock = new ManualClock();
  let woken = 0;
  const queue = new SchedulingQueue(clock, () => woken++);
  return { clock, queue, woken: () => woken };
}

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
  expect([1, 2, 3, 4, 5].map(() => queue.take())).toEqual(['b', 'd', 'a', 'c', undefined]);
});

test('SchedulingQueue tries a parked pod again when something changed, after a backoff that grows', async () => {
  const { clock, queue, woken } = aQueue();
  queue.add('a', 0);
  for (const waitMs of [1_000, 2_000, 4_000, 8_000, 10_000, 10_000]) {
    expect(queue.take()).toBe('a');
    queue.park('a', 0);
    queue.retryParked();
    const before = woken();
    await clock.advance(waitMs - 1);
    expect(queue.take()).toBeUndefined();
    expect(woken()).toBe(before);
    await clock.advance(1);
    expect(woken()).toBe(before + 1);
  }
});

test('SchedulingQueue leaves a parked pod alone until something changed', async () => {
  const { clock, queue } = aQueue();
  queue.add('a', 0);
  queue.take();
  queue.park('a', 0);
  queue.add('a', 0);
  await clock.advance(60_000);
  expect(queue.take()).toBeUndefined();
  queue.retryParked();
  expect(queue.take()).toBe('a');
});

test('SchedulingQueue tries a parked pod at once when the pod itself changed', () => {
  const { queue } = aQueue();
  queue.add('a', 0);
  queue.take();
  queue.park('a', 0);
  queue.changed('a', 0);
  expect(queue.take()).toBe('a');
});

test('SchedulingQueue forgets', async () => {
  const { clock, queue } = aQueue();
  queue.add('a', 0);
  queue.add('b', 0);
  queue.forget('a');
  expect(queue.take()).toBe('b');
  queue.park('b', 0);
  queue.retryParked();
  queue.forget('b');
  await clock.advance(60_000);
  expect(queue.take()).toBeUndefined();
  queue.add('b', 0);
  expect(queue.take()).toBe('b');
});
