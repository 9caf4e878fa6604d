import { isTerminating, type Pod } from '@slipway/kube-objects/kinds/api/pods';
import type { StatefulSet } from '@slipway/kube-objects/kinds/api/workloads';
import { aPod, aStatefulSet, readySince } from '@slipway/kube-objects/testing/objects';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { afterChance } from '../testing/after-chance.js';
import { ordinalOf, revisionLabel } from './identity.js';
import { type Action, type Observed, planStatefulSet } from './plan-stateful-set.js';

const nowMs = Date.UTC(2026, 0, 1, 1);

/**
 * One word per pod: ordinal, revision (`a` is current, `b` updated), and how it is: nothing for
 * ready, `?` not ready, `~` terminating, `!` failed, `+` ready only just now.
 */
function pods(words: string): readonly Pod[] {
  return words
    .split(' ')
    .filter(Boolean)
    .map((word) => {
      const [, ordinal = '', revision = '', state = ''] = /^(\d+)([ab])(.?)$/.exec(word) ?? [];
      const status = {
        '': readySince('2026-01-01T00:00:00Z'),
        '+': readySince('2026-01-01T00:59:58Z'),
        '?': { phase: 'Running' as const },
        '~': readySince('2026-01-01T00:00:00Z'),
        '!': { phase: 'Failed' as const },
      }[state];
      const going = state === '~' && { deletionTimestamp: '2026-01-01T00:59:59Z' };
      return aPod(`web-${ordinal}`, {
        metadata: { labels: { app: 'a', [revisionLabel]: revision }, ...going },
        ...(status && { status }),
      });
    });
}

const observe = (set: StatefulSet, words: string, maxUnavailable = 1): Observed => ({
  set,
  pods: pods(words),
  currentRevision: 'a',
  updateRevision: 'b',
  maxUnavailable,
  nowMs,
});

const told = (actions: readonly Action[]) =>
  actions
    .map((action) =>
      action.kind === 'create'
        ? `+${action.ordinal}${action.revision}`
        : `-${action.pod.metadata.name?.slice(4)} ${action.why}`,
    )
    .join(', ');

const parallel = { podManagementPolicy: 'Parallel' } as const;
const onDelete = { updateStrategy: { type: 'OnDelete' } } as const;
const from = (partition: number) =>
  ({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition } } }) as const;

// what | spec | pods | actions
const cases: [string, Partial<StatefulSet['spec']>, string, string][] = [
  ['nothing there yet', {}, '', '+0b'],
  ['the first not ready yet', {}, '0b?', ''],
  ['the first ready', {}, '0b', '+1b'],
  ['the first ready for too short a time', { minReadySeconds: 10 }, '0b+', ''],
  ['one missing in the middle', {}, '0b 2b', '+1b'],
  ['all there', {}, '0b 1b 2b', ''],
  ['one failed', {}, '0b 1b! 2b', '-1 finished'],
  ['one terminating', {}, '0b 1b~ 2b', ''],
  ['too many', { replicas: 1 }, '0b 1b 2b', '-2 scaled-down'],
  ['too many, the highest on its way out', { replicas: 1 }, '0b 1b 2b~', ''],
  ['too many, the highest not ready', { replicas: 1 }, '0b 1b 2b?', '-2 scaled-down'],
  ['too many, a lower one not ready either', { replicas: 1 }, '0b 1b? 2b', '-2 scaled-down'],
  ['too many, two not ready', { replicas: 1 }, '0b 1b? 2b?', ''],
  ['too many, but one that is wanted is not ready', { replicas: 2 }, '0b? 1b 2b', ''],
  ['ordinals that start at 5', { ordinals: { start: 5 } }, '', '+5b'],
  ['ordinals that moved up', { ordinals: { start: 1 } }, '0b 1b 2b 3b', '-0 scaled-down'],
  ['Parallel, nothing there yet', parallel, '', '+0b, +1b, +2b'],
  ['Parallel, too many', { ...parallel, replicas: 1 }, '0b 1b 2b?', '-2 scaled-down, -1 scaled-down'],
  ['Parallel, one terminating and one failed', parallel, '0b! 1b~ 2b', '-0 finished'],
  ['an update', {}, '0a 1a 2a', '-2 outdated'],
  ['an update, the new pod not ready', {}, '0a 1a 2b?', ''],
  ['an update, the new pod ready', {}, '0a 1a 2b', '-1 outdated'],
  ['an update, a pod gone for it', {}, '0a 1a', '+2b'],
  ['an update down to a partition', from(2), '0a 1a 2b', ''],
  ['an update above the partition', from(1), '0a 1a 2b', '-1 outdated'],
  ['a pod below the partition missing', from(2), '1a 2b', '+0a'],
  ['a partition beyond all ordinals', from(7), '0a 1a 2a', ''],
  ['an update with OnDelete', onDelete, '0a 1a 2a', ''],
  ['a pod deleted by hand with OnDelete', onDelete, '0a 2a', '+1b'],
  ['Parallel, an update', parallel, '0a 1a 2a', '-2 outdated'],
  [
    'Parallel, an update of pods that never became ready',
    parallel,
    '0a? 1a? 2a?',
    '-2 outdated, -1 outdated, -0 outdated',
  ],
];

test.each(cases)('planStatefulSet() with %s', (_what, spec, words, expected) => {
  expect(told(planStatefulSet(observe(aStatefulSet(spec), words)))).toBe(expected);
});

// maxUnavailable | pods | actions
const atOnce: [number, string, string][] = [
  [2, '0a 1a 2a 3a', '-3 outdated, -2 outdated'],
  [4, '0a 1a 2a 3a', '-3 outdated, -2 outdated, -1 outdated, -0 outdated'],
  [2, '0a 1a 2a 3b', '-2 outdated, -1 outdated'],
  [2, '0a 1a 2a 3b?', '-2 outdated'],
  [2, '0a 1a 2b? 3b?', ''],
  [2, '0a? 1a 2a 3b', '-0 outdated, -2 outdated'],
];

test.each(atOnce)('planStatefulSet() may take %i away at once of %s', (maxUnavailable, words, expected) => {
  const set = aStatefulSet({ replicas: 4, ...parallel });
  expect(told(planStatefulSet(observe(set, words, maxUnavailable)))).toBe(expected);
});

test('planStatefulSet() does nothing for a set that is being deleted', () => {
  const set = aStatefulSet({}, { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } });
  expect(planStatefulSet(observe(set, ''))).toEqual([]);
});

/** Pods as the world has them, changed by what the plan asks for and by chance. */
class World {
  pods: { ordinal: number; revision: string; state: '' | '?' | '~' }[] = [];

  words(): string {
    return this.pods.map(({ ordinal, revision, state }) => `${ordinal}${revision}${state}`).join(' ');
  }

  apply(actions: readonly Action[], set: StatefulSet): void {
    for (const action of actions) {
      if (action.kind === 'create') {
        expect(this.pods.some(({ ordinal }) => ordinal === action.ordinal)).toBe(false);
        this.pods.push({ ordinal: action.ordinal, revision: action.revision, state: '?' });
      } else {
        expect(isTerminating(action.pod)).toBe(false);
        const pod = this.pods.find(({ ordinal }) => ordinal === ordinalOf(set, action.pod));
        if (pod) pod.state = '~';
      }
    }
  }

  serving(replicas: number): number {
    return this.pods.filter(({ ordinal, state }) => ordinal < replicas && state === '').length;
  }
}

test('any rolling update: one pod per ordinal, never more missing than maxUnavailable, and it ends', () => {
  const numbers = fc.infiniteStream(fc.nat(1000));
  const policies = fc.constantFrom('OrderedReady' as const, 'Parallel' as const);
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 7 }),
      policies,
      fc.integer({ min: 1, max: 4 }),
      fc.nat(7),
      numbers,
      (replicas, podManagementPolicy, maxUnavailable, partition, random) => {
        const set = aStatefulSet({ replicas, podManagementPolicy, ...from(partition) });
        const world = new World();
        world.pods = Array.from({ length: replicas }, (_, ordinal) => ({ ordinal, revision: 'a', state: '' as const }));
        for (let round = 0; round < 300; round++) {
          world.apply(planStatefulSet(observe(set, world.words(), maxUnavailable)), set);
          expect(world.serving(replicas)).toBeGreaterThanOrEqual(replicas - maxUnavailable);
          const isDone = world.pods.every(
            ({ ordinal, revision, state }) => state === '' && revision === (ordinal < partition ? 'a' : 'b'),
          );
          if (isDone && world.pods.length === replicas) return;
          world.pods = afterChance(world.pods, random.next().value ?? 0);
        }
        throw new Error(`the update did not end: ${world.words()}`);
      },
    ),
  );
});

test('any scaling: OrderedReady changes one pod at a time, and it ends with exactly the ordinals wanted', () => {
  const sizes = fc.array(fc.nat(6), { minLength: 1, maxLength: 4 });
  const numbers = fc.infiniteStream(fc.nat(1000));
  fc.assert(
    fc.property(sizes, numbers, (wanted, random) => {
      const world = new World();
      for (const replicas of wanted) {
        const set = aStatefulSet({ replicas });
        for (let round = 0; ; round++) {
          const actions = planStatefulSet(observe(set, world.words()));
          expect(actions.length).toBeLessThanOrEqual(1);
          world.apply(actions, set);
          expect(world.pods.filter(({ state }) => state === '~').length).toBeLessThanOrEqual(1);
          const ordinals = world.pods.map(({ ordinal }) => ordinal).sort();
          const isSettled = world.pods.every(({ state }) => state === '');
          if (isSettled && ordinals.length === replicas && ordinals.every((ordinal, index) => ordinal === index)) break;
          if (round > 200) throw new Error(`scaling to ${replicas} did not end: ${world.words()}`);
          world.pods = afterChance(world.pods, random.next().value ?? 0);
        }
      }
    }),
  );
});

test('any story of edits: once people stop changing it, the set arrives', () => {
  const edit = fc.record({
    replicas: fc.nat(5),
    podManagementPolicy: fc.constantFrom('OrderedReady' as const, 'Parallel' as const),
    partition: fc.nat(3),
    start: fc.nat(3),
    maxUnavailable: fc.integer({ min: 1, max: 3 }),
    updateRevision: fc.constantFrom('a', 'b'),
  });
  const story = fc.array(fc.tuple(edit, fc.array(fc.nat(50), { maxLength: 8 })), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(story, (edits) => {
      const world = new World();
      for (const [index, [asked, picks]] of edits.entries()) {
        const { replicas, podManagementPolicy, partition, start, maxUnavailable, updateRevision } = asked;
        const isLast = index === edits.length - 1;
        const strategy = from(isLast ? 0 : partition);
        const set = aStatefulSet({ replicas, podManagementPolicy, ordinals: { start }, ...strategy });
        const look = () => {
          const actions = planStatefulSet({ ...observe(set, world.words(), maxUnavailable), updateRevision });
          world.apply(actions, set);
          return actions.length > 0;
        };
        for (const pick of picks) {
          look();
          world.pods = afterChance(world.pods, pick);
        }
        for (let round = 0; isLast; round++) {
          const acted = look();
          if (!acted && world.pods.every(({ state }) => state === '')) break;
          if (round > 500) throw new Error(`it does not come to rest: ${world.words()}`);
          world.pods = afterChance(world.pods, round);
        }
        if (!isLast) continue;
        const wanted = Array.from({ length: replicas }, (_, each) => `${start + each}${updateRevision}`);
        expect(world.words().split(' ').filter(Boolean).sort()).toEqual(wanted);
      }
    }),
    { numRuns: 200 },
  );
});
