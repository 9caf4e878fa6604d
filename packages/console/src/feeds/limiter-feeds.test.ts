import type { DaemonState } from '@slipway/image-pulls';
import { expect, test } from 'vitest';
import { pullLines } from './limiter-feeds.js';
import { rowChanges } from './row-changes.js';

const second = 1_000;

/** A state with one pull that runs and one that waits, both asked for when the clock was at 0. */
function stateAt(nowMs: number): DaemonState {
  const about = { registry: 'r', key: 'k', callers: 1, podUids: [], pods: [] };
  return {
    limit: 1,
    counted: 1,
    adopted: 0,
    paused: false,
    draining: false,
    runtimeUp: true,
    running: [{ ...about, id: 1, image: 'a', waitedMs: 0, runningMs: nowMs, state: 'running' }],
    waiting: [{ ...about, id: 2, image: 'b', waitedMs: nowMs, runningMs: 0, state: 'waiting' }],
    fidelity: 'none',
    bypassed: false,
    limitSource: 'configuration',
  };
}

test('pullLines() gives a pull that only grows older the same line, so that nothing is sent', () => {
  const began = new Map<string, string>();
  const changes = rowChanges<{ readonly key: string }>();
  expect(changes(pullLines(stateAt(900), 900, began))?.type).toBe('rows');
  expect(changes(pullLines(stateAt(30 * second), 30 * second + 400, began))).toBeUndefined();
});

test('pullLines() puts running pulls first, and counts the time of each state', () => {
  const began = new Map<string, string>();
  pullLines(stateAt(0), 0, began);
  const { running, waiting, ...rest } = stateAt(10 * second);
  const [left] = waiting.map((pull) => ({ ...pull, state: 'running' as const, runningMs: 5 * second }));
  const lines = pullLines({ ...rest, running: left ? [left] : [], waiting: [] }, 10 * second, began);
  expect(lines.map(({ key, since }) => [key, since])).toEqual([['2', '1970-01-01T00:00:05Z']]);
  expect([...began.keys()].filter((moment) => moment.startsWith('1 '))).toEqual([]);
  const [first, waits] = pullLines(stateAt(0), 0, new Map());
  expect((first?.order ?? 0) < (waits?.order ?? 0)).toBe(true);
  expect(running).toHaveLength(1);
});

test('rowChanges() sends all rows first, then those that are new or changed, and the keys of those that are gone', () => {
  const changes = rowChanges<{ readonly key: string; readonly n: number }>();
  const row = (key: string, n: number) => ({ key, n });
  expect(changes([row('a', 1), row('b', 1)])).toMatchObject({ isWhole: true, set: [row('a', 1), row('b', 1)] });
  expect(changes([row('a', 2), row('b', 1)])).toMatchObject({ isWhole: false, set: [row('a', 2)], gone: [] });
  expect(changes([row('b', 1)])).toMatchObject({ set: [], gone: ['a'] });
  expect(changes([row('b', 1)])).toBeUndefined();
  expect(changes([row('a', 2), row('b', 1)])).toMatchObject({ set: [row('a', 2)] });
});
