import fc from 'fast-check';
import { expect, test } from 'vitest';
import { aPull, aQueue, aRunningPull } from '../testing/pulls.js';
import { QueueDescriber } from './describe-queue.js';
import { isWriteDue, leaseSecondsOf } from './write-due.js';

const startMs = Date.UTC(2026, 0, 1);

test('QueueDescriber says what runs and waits, for whom, since when and with which limit', () => {
  const progress = { bytes: 3, totalBytes: 9 };
  const queue = aQueue([aPull(2_000, { id: 3, image: 'r/c' })], {
    limitSource: 'cluster',
    running: [aRunningPull(1_000, { progress }), aRunningPull(0, { id: 2, image: 'r/b', state: 'verifying' })],
  });
  const limit = {
    apiVersion: 'pulls.slipway.dev/v1alpha1',
    kind: 'PullLimit',
    metadata: { name: 'all', generation: 4 },
    spec: { maxParallelImagePulling: 2 },
  };
  const common = { pods: ['shop/web'], callers: 1 };
  expect(new QueueDescriber().describe(queue, limit, startMs)).toEqual({
    limit: 2,
    limitSource: 'cluster',
    pullLimit: { name: 'all', generation: 4 },
    paused: false,
    runtimeUp: true,
    running: [
      { ...common, image: 'r/web:1', since: '2025-12-31T23:59:59.000Z', state: 'running', ...progress },
      { ...common, image: 'r/b', since: '2026-01-01T00:00:00.000Z', state: 'verifying' },
    ],
    runningCount: 2,
    waiting: [{ ...common, image: 'r/c', since: '2025-12-31T23:59:58.000Z' }],
    waitingCount: 1,
  });
});

test('QueueDescriber keeps the beginning of a pull, whenever it is read', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(400), { minLength: 2, maxLength: 30 }), (jitters) => {
      const describer = new QueueDescriber();
      const since = jitters.map((jitterMs, index) => {
        const nowMs = index * 5_000;
        const { waiting } = describer.describe(aQueue([aPull(nowMs + jitterMs)]), undefined, startMs + nowMs);
        return waiting[0]?.since;
      });
      expect(new Set(since).size).toBe(1);
    }),
  );
});

test('a queue of any length is an object that an API server stores', () => {
  const long = 'x'.repeat(5_000);
  const pods = Array.from({ length: 1_000 }, (_, index) => `namespace/${index}-${'p'.repeat(240)}`);
  const many = Array.from({ length: 3_000 }, (_, id) => aRunningPull(0, { id, image: long, pods, callers: 1_000 }));
  const content = new QueueDescriber().describe(aQueue(many, { running: many }), undefined, startMs);
  expect(content).toMatchObject({ runningCount: 3_000, waitingCount: 3_000 });
  expect(content.running[0]).toMatchObject({ callers: 1_000, image: 'x'.repeat(512) });
  expect(JSON.stringify(content).length).toBeLessThan(1_000_000);
});

const describeOnce = (...queue: Parameters<typeof aQueue>) =>
  new QueueDescriber().describe(aQueue(...queue), undefined, startMs);
const idle = describeOnce();
const busy = describeOnce([aPull(0)]);
const moving = (bytes: number) =>
  describeOnce([], { running: [aRunningPull(0, { progress: { bytes, totalBytes: 9 } })] });

// written | then | seconds after it | whether it is due
test.each<[string, typeof idle, typeof idle, number, boolean]>([
  ['a change waits for others that come with it', idle, busy, 4.9, false],
  ['a change is written after that', idle, busy, 5, true],
  ['a limit is a change', idle, describeOnce([], { limit: 3 }), 5, true],
  ['bytes alone wait longer', moving(1), moving(2), 29, false],
  ['bytes are brought up to date', moving(1), moving(2), 30, true],
  ['what waits is confirmed', busy, busy, 30, true],
  ['a queue without pulls is confirmed rarely', idle, idle, 299, false],
  ['and that is confirmed too', idle, idle, 300, true],
])('isWriteDue(): %s', (_, written, content, seconds, isDue) => {
  expect(isWriteDue({ content: written, agoMs: seconds * 1_000 }, content, 1)).toBe(isDue);
});

test('isWriteDue() in any story: what is stored is at most 5 s behind, current, and written at most every 5 s', () => {
  const second = fc.record({ limit: fc.nat(2), waits: fc.boolean(), stays: fc.integer({ min: 1, max: 400 }) });
  fc.assert(
    fc.property(fc.array(second, { minLength: 1, maxLength: 10 }), (story) => {
      let written: { content: typeof idle; atMs: number } | undefined;
      let changedMs = 0;
      const seconds = story.flatMap(({ limit, waits, stays }) =>
        Array.from({ length: stays }, (_, index) => ({ isFirst: index === 0, limit, waits })),
      );
      for (const [index, { isFirst, limit, waits }] of seconds.entries()) {
        const [nowMs, content] = [index * 1_000, describeOnce(waits ? [aPull(0)] : [], { limit })];
        if (isFirst) changedMs = nowMs;
        const agoMs = written ? nowMs - written.atMs : undefined;
        if (isWriteDue(written && { ...written, agoMs: nowMs - written.atMs }, content, 1.1)) {
          expect(agoMs ?? 5_000).toBeGreaterThanOrEqual(5_000);
          written = { content, atMs: nowMs };
        }
        const stored = written?.content;
        if (nowMs - changedMs >= 5_000) expect(stored).toEqual(content);
        expect(nowMs - (written?.atMs ?? 0)).toBeLessThan(leaseSecondsOf(stored ?? idle) * 1_000);
      }
    }),
    { numRuns: 50 },
  );
});

test('what is written counts until three confirmations have failed', () => {
  expect(isWriteDue(undefined, idle, 1)).toBe(true);
  expect([leaseSecondsOf(busy), leaseSecondsOf(idle)]).toEqual([90, 900]);
});
