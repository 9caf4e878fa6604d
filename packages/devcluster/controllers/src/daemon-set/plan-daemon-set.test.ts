import type { DaemonSet } from '@slipway/kube-objects/kinds/api/daemon-sets';
import { isTerminating, type Pod } from '@slipway/kube-objects/kinds/api/pods';
import { aDaemonSet, aNode, aPod, readySince } from '@slipway/kube-objects/testing/objects';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { afterChance } from '../testing/after-chance.js';
import { hashLabel } from './daemon-pod.js';
import { daemonSetStatus } from './daemon-set-status.js';
import { type Action, type Observed, planDaemonSet } from './plan-daemon-set.js';

const nowMs = Date.UTC(2026, 0, 1, 1);
const startedAt = '2026-01-01T00:00:00Z';

/**
 * One word per pod: number of its node, template (`a` is outdated, `b` the one of now), and how it is: nothing for
 * ready, `?` not ready, `~` terminating, `!` failed, `.` succeeded, `+` ready only just now.
 */
function pods(words: string): readonly Pod[] {
  return words
    .split(' ')
    .filter(Boolean)
    .map((word, index) => {
      const [, node = '', hash = '', state = ''] = /^(\d+)([ab])(.?)$/.exec(word) ?? [];
      const status = {
        '+': readySince('2026-01-01T00:59:58Z'),
        '?': { phase: 'Running' as const },
        '!': { phase: 'Failed' as const },
        '.': { phase: 'Succeeded' as const },
      }[state];
      return aPod(`p${index}`, {
        metadata: {
          labels: { app: 'a', [hashLabel]: hash },
          ...(state === '~' && { deletionTimestamp: '2026-01-01T00:59:59Z' }),
        },
        spec: { nodeName: `n${node}` },
        status: status ?? readySince(startedAt),
      });
    });
}

const tainted = { taints: [{ key: 'dedicated', effect: 'NoSchedule' }] } as const;
const observe = (set: DaemonSet, words: string, nodes = 3, closed: readonly number[] = []): Observed => ({
  set,
  nodes: Array.from({ length: nodes }, (_, index) =>
    aNode(`n${index}`, { spec: closed.includes(index) ? tainted : {} }),
  ),
  pods: pods(words),
  hash: 'b',
  nowMs,
});

const told = (actions: readonly Action[], words: string) =>
  actions
    .map((action) =>
      action.kind === 'create'
        ? `+${action.nodeName.slice(1)}`
        : `-${words.split(' ')[Number(action.pod.metadata.name?.slice(1))]} ${action.why}`,
    )
    .join(', ');

const rolling = (maxUnavailable: number | string, maxSurge: number | string = 0): Partial<DaemonSet['spec']> => ({
  updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable, maxSurge } },
});
const onDelete: Partial<DaemonSet['spec']> = { updateStrategy: { type: 'OnDelete' } };
const surge = rolling(0, 1);

// what | spec | pods | actions
const cases: [string, Partial<DaemonSet['spec']>, string, string][] = [
  ['nothing there yet', {}, '', '+0, +1, +2'],
  ['one missing', {}, '0b 2b', '+1'],
  ['one terminating', {}, '0b 1b~ 2b', ''],
  ['all there', {}, '0b 1b 2b', ''],
  ['two on a node', {}, '0b 0b 1b 2b', '-0b surplus'],
  ['one failed', {}, '0b 1b! 2b', '-1b! failed'],
  ['one that ended', {}, '0b 1b. 2b', '-1b. succeeded'],
  ['an update', {}, '0a 1a 2a', '-0a outdated'],
  ['an update, one terminating for it', {}, '0a~ 1a 2a', ''],
  ['an update, one gone for it', {}, '1a 2a', '+0'],
  ['an update, the new one not ready', {}, '0b? 1a 2a', ''],
  ['an update, the new one ready', {}, '0b 1a 2a', '-1a outdated'],
  ['an update, the new one ready for too short a time', { minReadySeconds: 10 }, '0b+ 1a 2a', ''],
  ['an update, an old one not ready', {}, '0a 1a? 2a', '-1a? outdated'],
  ['an update of two at once', rolling(2), '0a 1a 2a', '-0a outdated, -1a outdated'],
  ['an update of half at once', rolling('50%'), '0a 1a 2a', '-0a outdated, -1a outdated'],
  ['an update with OnDelete', onDelete, '0a 1a 2a', ''],
  ['a pod deleted by hand with OnDelete', onDelete, '0a 2a', '+1'],
  ['a surge', surge, '0a 1a 2a', '+0'],
  ['a surge, the new one not ready', surge, '0a 0b? 1a 2a', ''],
  ['a surge, the new one ready', surge, '0a 0b 1a 2a', '-0a surplus'],
  ['a surge, the old one going', surge, '0a~ 0b 1a 2a', '+1'],
  ['a surge, an old one not ready', surge, '0a? 0b? 1a 2a', '-0a? surplus'],
  ['a surge, nothing of it ready', surge, '0a? 1a? 2a?', '+0, +1, +2'],
  ['a surge of two', rolling(0, 2), '0a 1a 2a', '+0, +1'],
];

test.each(cases)('planDaemonSet() with %s', (_what, spec, words, expected) => {
  expect(told(planDaemonSet(observe(aDaemonSet(spec), words)), words)).toBe(expected);
});

test('planDaemonSet() leaves a pod where new ones may not go, and takes it from a node that is not its own', () => {
  expect(told(planDaemonSet(observe(aDaemonSet(), '0b 1b', 3, [0, 2])), '0b 1b')).toBe('');
  const template = aDaemonSet().spec.template;
  const selective = { template: { ...template, spec: { ...template.spec, nodeSelector: { disk: 'ssd' } } } };
  expect(told(planDaemonSet(observe(aDaemonSet(selective), '0b 1b~')), '0b 1b~')).toBe('-0b misplaced');
});

test('planDaemonSet() takes away a pod that waits for a node that is gone, and nothing while the set goes', () => {
  const waiting = observe(aDaemonSet(), '');
  const pod = aPod('p0', { spec: { nodeName: '' } });
  expect(planDaemonSet({ ...waiting, nodes: [], pods: [pod] })).toMatchObject([{ kind: 'delete', why: 'misplaced' }]);
  const going = aDaemonSet({}, { metadata: { deletionTimestamp: startedAt } });
  expect(planDaemonSet(observe(going, ''))).toEqual([]);
});

// what | pods | closed nodes | desired current ready updated available unavailable misscheduled
const statuses: [string, string, readonly number[], string][] = [
  ['nothing there yet', '', [], '3 0 0 0 0 3 0'],
  ['all there', '0b 1b 2b', [], '3 3 3 3 3 0 0'],
  ['an update under way', '0b? 1a 2a', [], '3 3 2 1 2 1 0'],
  ['a surge, the new one not ready', '0a 0b? 1a 2a', [], '3 3 3 0 3 0 0'],
  ['a surge, the old one going', '0a~ 0b 1a 2a', [], '3 3 3 1 3 0 0'],
  ['only just ready', '0b+ 1b 2b', [], '3 3 3 3 2 1 0'],
  ['a pod where none should be', '0b 1b 2b', [2], '2 2 2 2 2 0 1'],
];

test.each(statuses)('daemonSetStatus() with %s', (_what, words, closed, expected) => {
  const status = daemonSetStatus(observe(aDaemonSet({ minReadySeconds: 10 }), words, 3, closed), 0);
  const { desiredNumberScheduled, currentNumberScheduled, numberReady, numberMisscheduled } = status;
  const { updatedNumberScheduled = 0, numberAvailable = 0, numberUnavailable = 0 } = status;
  const counts = [desiredNumberScheduled, currentNumberScheduled, numberReady, updatedNumberScheduled];
  expect([...counts, numberAvailable, numberUnavailable, numberMisscheduled].join(' ')).toBe(expected);
  expect(status.observedGeneration).toBe(1);
});

/** Pods as the world has them, changed by what the plan asks for and by chance. */
class World {
  pods: { node: number; hash: string; state: '' | '?' | '~' }[] = [];

  words(): string {
    return this.pods.map(({ node, hash, state }) => `${node}${hash}${state}`).join(' ');
  }

  apply(actions: readonly Action[]): void {
    const before = [...this.pods];
    for (const action of actions) {
      if (action.kind === 'create') {
        this.pods.push({ node: Number(action.nodeName.slice(1)), hash: 'b', state: '?' });
      } else {
        expect(isTerminating(action.pod)).toBe(false);
        const pod = before[Number(action.pod.metadata.name?.slice(1))];
        if (pod) pod.state = '~';
      }
    }
  }

  on(node: number) {
    return this.pods.filter((pod) => pod.node === node && pod.state !== '~');
  }
}

test('any rolling update: the limits hold at every moment, no node has more than it may, and it ends', () => {
  const limits = fc.oneof(
    fc.integer({ min: 1, max: 4 }).map((maxUnavailable) => ({ maxUnavailable, maxSurge: 0 })),
    fc.integer({ min: 1, max: 4 }).map((maxSurge) => ({ maxUnavailable: 0, maxSurge })),
  );
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 6 }),
      limits,
      fc.infiniteStream(fc.nat(1000)),
      (nodes, { maxUnavailable, maxSurge }, random) => {
        const set = aDaemonSet(rolling(maxUnavailable, maxSurge));
        const numbers = Array.from({ length: nodes }, (_, node) => node);
        const world = new World();
        world.pods = numbers.map((node) => ({ node, hash: 'a', state: '' as const }));
        for (let round = 0; round < 200; round++) {
          world.apply(planDaemonSet(observe(set, world.words(), nodes)));
          const missing = numbers.filter((node) => !world.on(node).some(({ state }) => state === ''));
          const doubled = numbers.filter((node) => world.on(node).length > 1);
          expect(missing.length).toBeLessThanOrEqual(maxUnavailable);
          expect(doubled.length).toBeLessThanOrEqual(maxSurge);
          expect(numbers.every((node) => world.on(node).length <= 2)).toBe(true);
          const isDone = world.pods.every(({ hash, state }) => hash === 'b' && state === '');
          if (isDone && world.pods.length === nodes) return;
          world.pods = afterChance(world.pods, random.next().value ?? 0);
        }
        throw new Error(`the update did not end: ${world.words()}`);
      },
    ),
  );
});

test('whatever is there, it ends with one pod on each node that should run one', () => {
  const word = fc.tuple(fc.nat(4), fc.constantFrom('a', 'b'), fc.constantFrom<'' | '?' | '~'>('', '?', '~'));
  fc.assert(
    fc.property(fc.array(word, { maxLength: 8 }), fc.infiniteStream(fc.nat(1000)), (start, random) => {
      const world = new World();
      world.pods = start.map(([node, hash, state]) => ({ node, hash, state }));
      for (let round = 0; round < 200; round++) {
        const actions = planDaemonSet(observe(aDaemonSet(), world.words(), 5));
        world.apply(actions);
        if (actions.length === 0 && world.pods.every(({ state }) => state === '')) {
          expect(world.pods.map(({ node }) => node).sort()).toEqual([0, 1, 2, 3, 4]);
          expect(world.pods.every(({ hash }) => hash === 'b')).toBe(true);
          return;
        }
        world.pods = afterChance(world.pods, random.next().value ?? 0);
      }
      throw new Error(`it did not settle: ${world.words()}`);
    }),
  );
});
