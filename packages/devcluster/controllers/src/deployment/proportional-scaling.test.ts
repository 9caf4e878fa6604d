import type { ReplicaSet } from '@slipway/kube-objects/kinds/api/workloads';
import { aDeployment, aSetOf } from '@slipway/kube-objects/testing/objects';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isScaled, planScaling } from './proportional-scaling.js';
import { desiredReplicasAnnotation, maxReplicasAnnotation } from './revisions.js';

/** A set that was last scaled when its Deployment had `desired` replicas and a surge of 3. */
function noted(name: string, replicas: number, desired: number, available = replicas): ReplicaSet {
  const set = aSetOf(name, replicas, available);
  const annotations = { [desiredReplicasAnnotation]: `${desired}`, [maxReplicasAnnotation]: `${desired + 3}` };
  return { ...set, metadata: { ...set.metadata, annotations } };
}

const rolling = (replicas: number) =>
  aDeployment({ replicas, strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } } });
const told = (scales: ReturnType<typeof planScaling>) =>
  scales
    .map(({ set, replicas }) => `${set.metadata.name}=${replicas}`)
    .sort()
    .join();

test('isScaled() sees a change of replicas, not a rollout', () => {
  const found = { current: noted('new', 5, 10), old: [noted('old', 8, 10)] };
  expect(isScaled(rolling(10), found)).toBe(false);
  expect(isScaled(rolling(11), found)).toBe(true);
  expect(isScaled(rolling(11), { current: undefined, old: [noted('empty', 0, 10)] })).toBe(false);
});

test('planScaling() gives everything to the only set in use', () => {
  expect(told(planScaling(rolling(7), { current: noted('new', 3, 3), old: [noted('old', 0, 3)] }))).toBe('new=7');
  expect(told(planScaling(rolling(7), { current: undefined, old: [noted('old', 3, 3)] }))).toBe('old=7');
  expect(told(planScaling(rolling(7), { current: noted('new', 0, 3), old: [noted('old', 0, 3)] }))).toBe('new=7');
});

test('planScaling() empties old sets beside a current one that has arrived', () => {
  expect(told(planScaling(rolling(7), { current: noted('new', 7, 7), old: [noted('old', 2, 7)] }))).toBe('old=0');
});

// replicas before | after | new | old | new then | old then
const shares: [number, number, number, number, number, number][] = [
  [10, 20, 5, 8, 9, 14],
  [10, 5, 5, 8, 3, 5],
  [10, 0, 5, 8, 0, 0],
  [10, 11, 5, 8, 5, 9],
];

test.each(shares)(
  'planScaling() from %i to %i keeps the shares of %i and %i',
  (from, to, fresh, old, freshThen, oldThen) => {
    const found = { current: noted('new', fresh, from, 0), old: [noted('old', old, from)] };
    expect(told(planScaling(rolling(to), found))).toBe(`new=${freshThen},old=${oldThen}`);
  },
);

test('any sets: scaling in a rollout comes to exactly replicas and surge, and no set goes below zero', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 2, maxLength: 6 });
  fc.assert(
    fc.property(sizes, fc.integer({ min: 0, max: 60 }), (replicas, wanted) => {
      const before = replicas.reduce((sum, each) => sum + each, 0) - 3;
      const [current, ...old] = replicas.map((each, index) => noted(`s${index}`, each, before, 0));
      const scales = planScaling(rolling(wanted), { current, old });
      expect(scales.reduce((sum, scale) => sum + scale.replicas, 0)).toBe(wanted === 0 ? 0 : wanted + 3);
      expect(scales.every((scale) => scale.replicas >= 0)).toBe(true);
    }),
  );
});
