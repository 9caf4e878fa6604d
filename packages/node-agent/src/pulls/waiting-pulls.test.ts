import fc from 'fast-check';
import { expect, test } from 'vitest';
import { aPull, aQueue } from '../testing/pulls.js';
import type { PullQueue } from './pull-queue.js';
import { WaitingPulls } from './waiting-pulls.js';

// waited ms at each observation | what is reported then
test.each<[readonly number[], readonly string[]]>([
  [
    [0, 9_999],
    ['', ''],
  ],
  [
    [10_000, 15_000, 59_000, 61_000],
    ['10s', '', '', '1m'],
  ],
  [
    [299_000, 305_000, 599_000],
    ['1m', '5m', ''],
  ],
  [
    [600_000, 605_000, 1_199_999, 1_200_000, 1_800_000],
    ['10m', '', '', '20m', '30m'],
  ],
])('WaitingPulls reports a wait of %j ms as %j', (waits, reported) => {
  const waiting = new WaitingPulls();
  const messages = waits.map((waitedMs) => waiting.observe(aQueue([aPull(waitedMs)]))[0]?.message ?? '');
  expect(messages.map((message) => /^Waited (\S+) to pull/.exec(message)?.[1] ?? '')).toEqual(reported);
});

test.each<[Partial<PullQueue>, string]>([
  [{}, '2 of 2 slots of this node are in use'],
  [{ paused: true }, 'pulls are paused on this node'],
  [{ runtimeUp: false, paused: true }, 'the container runtime does not answer'],
])('WaitingPulls says what a pull waits for in a queue with %j', (more, cause) => {
  const others = aPull(20_000, { image: 'r/other:1', pods: [], podUids: [] });
  expect(new WaitingPulls().observe(aQueue([others, aPull(20_000)], more))).toEqual([
    {
      pod: { apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'shop', name: 'web', uid: 'u1' } },
      message: `Waited 10s to pull image "r/web:1": ${cause}, position 2 of 2`,
    },
  ]);
});

test('WaitingPulls names a pod without its UID when it is not known which UID belongs to which pod', () => {
  const events = new WaitingPulls().observe(aQueue([aPull(10_000, { pods: ['a/b', 'c/d'] })]));
  expect(events.map(({ pod }) => pod.metadata)).toEqual([
    { namespace: 'a', name: 'b' },
    { namespace: 'c', name: 'd' },
  ]);
});

test('WaitingPulls reports each wait of a pod at most once per threshold, and a later pull of the image anew', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(900_000), { minLength: 1, maxLength: 50 }), (steps) => {
      const waiting = new WaitingPulls();
      const ascending = steps.toSorted((a, b) => a - b);
      const story = () => ascending.flatMap((ms) => waiting.observe(aQueue([aPull(ms)])).map(({ message }) => message));
      const first = story();
      expect(new Set(first).size).toBe(first.length);
      waiting.observe(aQueue([]));
      expect(story()).toEqual(first);
    }),
  );
});
