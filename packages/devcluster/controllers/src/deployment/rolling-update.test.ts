import type { Deployment, ReplicaSet } from '@slipway/kube-objects/kinds/api/workloads';
import { aDeployment, aSetOf } from '@slipway/kube-objects/testing/objects';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { planRollingUpdate } from './rolling-update.js';
import { rolloutLimits } from './rollout-limits.js';

const rolling = (replicas: number, maxSurge: number | string, maxUnavailable: number | string): Deployment =>
  aDeployment({ replicas, strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } } });

// replicas | maxSurge | maxUnavailable | pods above | pods missing
const limits: [number, number | string, number | string, number, number][] = [
  [10, '25%', '25%', 3, 2],
  [4, '25%', '25%', 1, 1],
  [1, '25%', '25%', 1, 0],
  [3, 0, 0, 0, 1],
  [3, '0%', '10%', 0, 1],
  [0, '25%', '25%', 0, 0],
  [2, 0, 5, 0, 2],
];

test.each(limits)(
  'rolloutLimits() of %i replicas, surge %s, unavailable %s',
  (replicas, surge, missing, above, below) => {
    expect(rolloutLimits(rolling(replicas, surge, missing))).toEqual({ maxSurge: above, maxUnavailable: below });
  },
);

/** `3/2` is a set of 3 replicas, 2 of them available. */
const parse = (name: string, text: string): ReplicaSet => {
  const [replicas = 0, available = replicas] = text.split('/').map(Number);
  return aSetOf(name, replicas, available);
};

// replicas, surge, unavailable | current | old | moves
const moves: [[number, number, number], string, string, string][] = [
  [[10, 3, 2], '0', '10', 'current=3'],
  [[10, 3, 2], '3/0', '10', 'old0=8'],
  [[10, 3, 2], '5/0', '8', ''],
  [[10, 3, 2], '5/3', '8', 'old0=5'],
  [[10, 3, 2], '5/3', '5', 'current=8'],
  [[10, 3, 2], '10/10', '3', 'old0=0'],
  [[10, 3, 2], '10/10', '', ''],
  [[10, 0, 2], '0', '10', 'old0=8'],
  [[10, 3, 0], '3/0', '10', ''],
  [[10, 3, 0], '3/1', '10', 'old0=9'],
  [[4, 1, 1], '6/6', '', 'current=4'],
  // Old pods that are not available go first, those of the oldest set before others.
  [[10, 3, 2], '3/0', '2/0 8/8', 'old0=0'],
  [[10, 0, 5], '0', '4/1 6/6', 'old0=0,old1=5'],
  // An old set was told to shrink and has not yet: the pod that goes next is not available to others.
  [[3, 1, 1], '2/1', '2/3', 'old0=1'],
];

test.each(moves)('planRollingUpdate() with %j, current %s, old %s', (spec, current, old, expected) => {
  const found = {
    current: parse('current', current),
    old: old
      .split(' ')
      .filter(Boolean)
      .map((text, index) => parse(`old${index}`, text)),
  };
  const scales = planRollingUpdate(rolling(...spec), found);
  expect(scales.map(({ set, replicas }) => `${set.metadata.name}=${replicas}`).join()).toBe(expected);
});

test('any rollout: never more pods than surge allows, never fewer available than promised, and it ends', () => {
  const share = fc.oneof(
    fc.nat(4),
    fc.nat(100).map((percent) => `${percent}%`),
  );
  const numbers = fc.infiniteStream(fc.nat(1000));
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 12 }), share, share, numbers, (replicas, surge, missing, random) => {
      const deployment = rolling(replicas, surge, missing);
      const { maxSurge, maxUnavailable } = rolloutLimits(deployment);
      // Pods become available one by one, in any order; a set loses those not available first.
      const sets = { current: { of: 0, up: 0 }, old: { of: replicas, up: replicas } };
      for (let round = 0; round < 200; round++) {
        const current = aSetOf('current', sets.current.of, sets.current.up);
        const old = [aSetOf('old', sets.old.of, sets.old.up)];
        for (const { set, replicas: target } of planRollingUpdate(deployment, { current, old })) {
          const pods = set === current ? sets.current : sets.old;
          pods.of = target;
          pods.up = Math.min(pods.up, target);
        }
        expect(sets.current.of + sets.old.of).toBeLessThanOrEqual(replicas + maxSurge);
        expect(sets.current.up + sets.old.up).toBeGreaterThanOrEqual(replicas - maxUnavailable);
        if (sets.old.of === 0 && sets.current.up === replicas) return;
        const waiting = sets.current.of - sets.current.up;
        if (waiting > 0) sets.current.up += 1 + ((random.next().value ?? 0) % waiting);
      }
      throw new Error('the rollout did not end');
    }),
  );
});
