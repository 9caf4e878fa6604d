import { Events, Kube, silentLog } from '@slipway/kube';
import { inMemoryApi, ManualClock } from '@slipway/kube/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { reportWaitingPulls } from './report-waiting-pulls.js';
import { type PullQueue, type WaitingPull, WaitingPulls } from './waiting-pulls.js';

const pull = (waitedMs: number, more: Partial<WaitingPull> = {}): WaitingPull => ({
  image: 'r/web:1',
  pods: ['shop/web'],
  podUids: ['u1'],
  waitedMs,
  ...more,
});
const queueOf = (waiting: readonly WaitingPull[], more: Partial<PullQueue> = {}): PullQueue => ({
  limit: 2,
  counted: 2,
  paused: false,
  runtimeUp: true,
  waiting,
  ...more,
});

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
  const messages = waits.map((waitedMs) => waiting.observe(queueOf([pull(waitedMs)]))[0]?.message ?? '');
  expect(messages.map((message) => /^Waited (\S+) to pull/.exec(message)?.[1] ?? '')).toEqual(reported);
});

test.each<[Partial<PullQueue>, string]>([
  [{}, '2 of 2 slots of this node are in use'],
  [{ paused: true }, 'pulls are paused on this node'],
  [{ runtimeUp: false, paused: true }, 'the container runtime does not answer'],
])('WaitingPulls says what a pull waits for in a queue with %j', (more, cause) => {
  const others = pull(20_000, { image: 'r/other:1', pods: [], podUids: [] });
  expect(new WaitingPulls().observe(queueOf([others, pull(20_000)], more))).toEqual([
    {
      pod: { apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'shop', name: 'web', uid: 'u1' } },
      message: `Waited 10s to pull image "r/web:1": ${cause}, position 2 of 2`,
    },
  ]);
});

test('WaitingPulls names a pod without its UID when it is not known which UID belongs to which pod', () => {
  const events = new WaitingPulls().observe(queueOf([pull(10_000, { pods: ['a/b', 'c/d'] })]));
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
      const story = () => ascending.flatMap((ms) => waiting.observe(queueOf([pull(ms)])).map(({ message }) => message));
      const first = story();
      expect(new Set(first).size).toBe(first.length);
      waiting.observe(queueOf([]));
      expect(story()).toEqual(first);
    }),
  );
});

test('reportWaitingPulls() records events on pods, and goes on when the limiter was away', async () => {
  const clock = new ManualClock();
  const api = inMemoryApi({ clock });
  const kube = new Kube(api, { clock });
  let isAway = true;
  const beganMs = clock.now();
  const readPulls = async () => {
    if (isAway) throw new Error('no limiter answers');
    return queueOf([pull(clock.now() - beganMs)]);
  };
  const stopping = new AbortController();
  const done = reportWaitingPulls({ kube, node: 'n1', log: silentLog, readPulls }, stopping.signal);
  await clock.advance(20_000);
  expect(api.stored(Events)).toEqual([]);
  isAway = false;
  for (let step = 0; step < 10; step++) await clock.advance(5_000);
  stopping.abort();
  await clock.advance(5_000);
  await done;
  expect(
    api.stored(Events).map(({ metadata, reason, source, message }) => [metadata.namespace, reason, source, message]),
  ).toEqual(
    ['10s', '1m'].map((waited) => [
      'shop',
      'PullWaiting',
      { component: 'slipway-node-agent', host: 'n1' },
      `Waited ${waited} to pull image "r/web:1": 2 of 2 slots of this node are in use, position 1 of 1`,
    ]),
  );
});
