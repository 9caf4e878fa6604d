import type { DaemonState } from '@slipway/image-pulls';
import { aDaemonState } from '@slipway/image-pulls/testing';
import { expect, test } from 'vitest';
import { limiterMatters, proposalMatters } from './now-feed.js';
import type { KepLine } from './proposals.js';

const pull = {
  id: 1,
  image: 'r/a',
  registry: 'r',
  key: 'k',
  callers: 1,
  podUids: [],
  pods: [],
  waitedMs: 1,
  runningMs: 0,
};

test.each<[string, Partial<DaemonState>, readonly string[]]>([
  ['nothing is wrong', { waiting: [{ ...pull, state: 'waiting' }] }, []],
  ['it is paused and nothing waits', { paused: true }, []],
  ['it is paused', { paused: true, waiting: [{ ...pull, state: 'waiting' }] }, ['slipway pulls resume --admin /a']],
  ['a pull stalls', { running: [{ ...pull, state: 'stalled' }] }, ['slipway pulls list --admin /a']],
  ['it is bypassed', { bypassed: true }, ['slipway pulls bypass --off --admin /a']],
])('limiterMatters() when %s', (_, state, steps) => {
  const matters = limiterMatters({
    address: { name: 'n', socket: '/a' },
    state: aDaemonState(state),
    problem: undefined,
  });
  expect(matters.map(({ step }) => step)).toEqual(steps);
});

test('proposalMatters() has one matter, however many proposals have errors', () => {
  const line = (key: string, readiness: KepLine['readiness']) => ({ key, title: `Title ${key}`, readiness }) as KepLine;
  const paths = (...lines: KepLine[]) => proposalMatters({ lines, root: '/r' }).map(({ path, about }) => [path, about]);
  expect(paths(line('1', 'open'))).toEqual([]);
  expect(paths(line('1', 'open'), line('2', 'blocked'))).toEqual([['/keps/2', 'Title 2']]);
  expect(paths(line('1', 'blocked'), line('2', 'blocked'))).toEqual([['/keps?is=blocked', '2 proposals']]);
});
