import { expect, test } from 'vitest';
import { firstHeartbeatMs, heartbeatMs } from './heartbeat.js';

// nodes | each so many ms
const cases: [number, number][] = [
  [1, 10_000],
  [500, 10_000],
  [750, 15_000],
  [5_000, 25_000],
];

test.each(cases)('heartbeatMs() of a fleet of %i nodes', (nodes, everyMs) => {
  expect(heartbeatMs(nodes)).toBe(everyMs);
});

test('firstHeartbeatMs() spreads the nodes of a large fleet, and leaves those of a small one alone', () => {
  const firsts = (nodes: number) => Array.from({ length: nodes }, (_, number) => firstHeartbeatMs(nodes, number));
  expect(new Set(firsts(3))).toEqual(new Set([10_000]));
  expect([Math.min(...firsts(100)), Math.max(...firsts(100)), new Set(firsts(100)).size]).toEqual([200, 10_000, 50]);
  expect([Math.min(...firsts(5_000)), Math.max(...firsts(5_000)), new Set(firsts(5_000)).size]).toEqual([
    500, 25_000, 50,
  ]);
});
