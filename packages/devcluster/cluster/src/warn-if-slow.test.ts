import { ManualClock } from '@slipway/kube/testing';
import { expect, test } from 'vitest';
import { warnIfSlow } from './warn-if-slow.js';

function aStart(names: readonly string[]) {
  const clock = new ManualClock();
  const told: string[] = [];
  const { promise, resolve } = withResolvers();
  const log = { warn: (text: string) => void told.push(text) };
  const started = warnIfSlow(promise, { clock, log, missing: () => names });
  return { clock, told, resolve, started };
}

function withResolvers() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

test('a start that takes 30 s says what is missing, and goes on', async () => {
  const { clock, told, resolve, started } = aStart(['kubelet n1', 'kube-scheduler', 'a', 'b', 'c', 'd', 'e']);
  await clock.advance(29_999);
  expect(told).toEqual([]);
  await clock.advance(60_000);
  expect(told).toEqual([
    'the cluster is not complete after 30 s; missing: kubelet n1, kube-scheduler, a, b, c and 2 more',
  ]);
  resolve();
  await started;
});

test('a start in time says nothing', async () => {
  const { clock, told, resolve, started } = aStart(['kubelet n1']);
  await clock.advance(1_000);
  resolve();
  await started;
  await clock.advance(60_000);
  expect(told).toEqual([]);
});
