import { expect, test } from 'vitest';
import type { JournalEntry } from '../journal/journal-entry.js';
import { type PastPull, pastPullsOf, pastPullsOfEvents } from './past-pull.js';
import { type Link, simulate } from './simulate.js';
import { whatIf } from './what-if.js';

const mib = 1 << 20;
const limits = [1, 2, 3, 4, 8];

/** So many equal images, asked for at once, or some together from time to time. */
function wanted(count: number, { everyMs = 0, together = 1, bytes = 12 * mib, layers = 1 } = {}): PastPull[] {
  return Array.from({ length: count }, (_, index) => {
    const image = `r.example/${index}:1`;
    return {
      image,
      registry: 'r.example',
      askedMs: Math.floor(index / together) * everyMs,
      waitedMs: 0,
      pulledMs: 0,
      bytes,
      layers,
    };
  });
}

/** The same pulls as they would have gone over a link, told as a journal tells them. */
function journalOf(pulls: readonly PastPull[], link: Link, limit: number): JournalEntry[] {
  const entries: JournalEntry[] = [];
  // One by one: what a pull took does not depend on those that come after it only if all are simulated together.
  for (const [index, pull] of pulls.entries()) {
    const { waitedMs, pulledMs } = timesOf(pulls, link, limit, index);
    entries.push({
      askedAt: new Date(1.7e12 + pull.askedMs).toISOString(),
      image: pull.image,
      registry: pull.registry,
      key: `${index}`,
      pods: [],
      callers: 1,
      waitedMs,
      pulledMs,
      bytes: pull.bytes,
      layers: pull.layers,
      outcome: 'ok',
      limit,
    });
  }
  return entries;
}

/** When a pull started and ended, found independently of `simulate`: in steps of a millisecond. */
function timesOf(pulls: readonly PastPull[], link: Link, limit: number, which: number) {
  const running = new Map<number, { left: number; otherMs: number }>();
  const waiting: number[] = [];
  const started = new Map<number, number>();
  let next = 0;
  for (let nowMs = 0; ; nowMs += 1) {
    while (next < pulls.length && (pulls[next]?.askedMs ?? 0) <= nowMs) waiting.push(next++);
    while (waiting.length > 0 && (limit === 0 || running.size < limit)) {
      const id = waiting.shift() as number;
      running.set(id, { left: pulls[id]?.bytes ?? 0, otherMs: link.resolveMs + link.unpackMs });
      started.set(id, nowMs);
    }
    const share = Math.min(link.connectionRate, link.rate / Math.max(1, running.size));
    for (const [id, one] of running) {
      if (one.left > 0) one.left -= share;
      else one.otherMs -= 1;
      if (one.left > 0 || one.otherMs > 0) continue;
      running.delete(id);
      const [askedMs, startedMs] = [pulls[id]?.askedMs ?? 0, started.get(id) ?? 0];
      if (id === which) return { waitedMs: startedMs - askedMs, pulledMs: nowMs + 1 - startedMs };
    }
  }
}

const sharedLink: Link = { rate: (12 * mib) / 1_000, connectionRate: Infinity, resolveMs: 30, unpackMs: 100 };
const slowConnections: Link = { rate: Infinity, connectionRate: 1_300, resolveMs: 30, unpackMs: 100 };

// Measured with a real containerd: 10 images of 12 MiB over a link of 12 MiB/s, seconds to the first, mean and last.
test.each([
  [1, 1.19, 6.31, 11.45],
  [2, 2.27, 6.66, 10.98],
  [4, 4.27, 7.25, 10.66],
  [0, 10.64, 10.7, 10.75],
])('simulate() at limit %d is within 7 %% of what was measured', (limit, first, mean, last) => {
  const { firstMs, meanMs, busyMs } = simulate(wanted(10), sharedLink, limit);
  for (const [is, was] of [
    [firstMs, first],
    [meanMs, mean],
    [busyMs, last],
  ] as const) {
    expect(Math.abs(is / 1_000 - was) / was).toBeLessThan(0.07);
  }
});

test('simulate() gives connections no more than each can', () => {
  const [alone] = [simulate(wanted(1, { layers: 9 }), { ...slowConnections, resolveMs: 0, unpackMs: 0 }, 0)];
  expect(alone.meanMs).toBeCloseTo((12 * mib) / (3 * 1_300), 3);
  expect(simulate(wanted(10), slowConnections, 2).busyMs).toBeGreaterThan(
    4 * simulate(wanted(10), slowConnections, 0).busyMs,
  );
});

test('whatIf() recommends a low limit when the link is shared', () => {
  const entries = journalOf(wanted(40, { everyMs: 50, bytes: mib }), sharedLink, 0);
  const { verdict, replayError, binds } = whatIf(pastPullsOf(entries), limits);
  expect(binds).toBe('link');
  expect(replayError).toBeLessThan(0.05);
  expect(verdict).toMatchObject({ kind: 'recommended' });
  expect(verdict.kind === 'recommended' && verdict.limit).toBeGreaterThan(0);
  expect(verdict.kind === 'recommended' && verdict.betterBy).toBeGreaterThan(0.2);
});

test('whatIf() says that no limit is best when each connection is slow', () => {
  const entries = journalOf(wanted(42, { everyMs: 2_500, together: 6, bytes: mib }), slowConnections, 4);
  expect(whatIf(pastPullsOf(entries), limits)).toMatchObject({
    binds: 'connection',
    verdict: { kind: 'recommended', limit: 0 },
  });
});

test('whatIf() refuses when as many ran all the time, so that link and connections look the same', () => {
  const entries = journalOf(wanted(40, { everyMs: 400, bytes: mib }), slowConnections, 2);
  expect(whatIf(pastPullsOf(entries), limits)).toMatchObject({ binds: 'unclear', verdict: { kind: 'refused' } });
});

test('whatIf() refuses when too few pulls met', () => {
  const entries = journalOf(wanted(40, { everyMs: 5_000, bytes: mib }), sharedLink, 0);
  expect(whatIf(pastPullsOf(entries), limits).verdict).toMatchObject({
    kind: 'refused',
    reason: 'not enough overlap in the records: 0 pulls met others, and it takes 30',
  });
});

test('whatIf() refuses when its own replay is off by more than 15 %', () => {
  const entries = journalOf(wanted(40, { everyMs: 50, bytes: mib }), sharedLink, 2);
  // A registry that answers as it likes: every third pull took five times as long as the link explains.
  const odd = entries.map((entry, index) => (index % 3 === 0 ? { ...entry, waitedMs: 0, pulledMs: 90_000 } : entry));
  const { replayError, verdict } = whatIf(pastPullsOf(odd), limits);
  expect(replayError).toBeGreaterThan(0.15);
  expect(verdict).toMatchObject({
    kind: 'refused',
    reason: expect.stringContaining('the replay of what was is off by'),
  });
});

test('pastPullsOf() takes what was pulled since the limit was changed', () => {
  const entries = journalOf(wanted(3), sharedLink, 1);
  const [first, second, third] = entries as [JournalEntry, JournalEntry, JournalEntry];
  const failed = { ...third, outcome: 'not_found', limit: 4 };
  expect(pastPullsOf([first, { ...second, limit: 4 }, failed, { ...third, limit: 4 }])).toMatchObject({
    limit: 4,
    pulls: [{ image: second.image }, { image: third.image }],
  });
});

test('pastPullsOfEvents() reads what kubelets said, by node', () => {
  const message =
    'Successfully pulled image "r.example/web:1" in 1m2.5s (1m10s including waiting). Image size: 5000000 bytes.';
  const event = { reason: 'Pulled', message, lastTimestamp: '2026-01-01T00:01:10Z', source: { host: 'worker-3' } };
  const present = { ...event, message: 'Container image "a" already present on machine' };
  expect(pastPullsOfEvents({ items: [event, present] }).get('worker-3')).toEqual({
    limit: 1,
    pulls: [
      {
        image: 'r.example/web:1',
        registry: 'r.example',
        askedMs: Date.parse('2026-01-01T00:00:00Z'),
        waitedMs: 7_500,
        pulledMs: 62_500,
        bytes: 5_000_000,
        layers: 3,
      },
    ],
  });
  expect(pastPullsOfEvents(null)).toEqual(new Map());
});
