import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MetricError, type PodSample, proposeReplicas, type Target } from './propose-replicas.js';

const tolerance = { up: 0.1, down: 0.1 };
const pod = (usageMilli: number, requestMilli = 1000): PodSample => ({ state: 'counted', usageMilli, requestMilli });
const missing: PodSample = { state: 'counted', requestMilli: 1000 };
const unready = (usageMilli: number): PodSample => ({ state: 'unready', usageMilli, requestMilli: 1000 });
const half: Target = { utilization: 50 };

// pods | target | how many are called for, of as many as there are
const cases: [string, PodSample[], Target, number][] = [
  ['twice the target: twice the pods', [pod(1000), pod(1000)], half, 4],
  ['half the target: half the pods', [pod(250), pod(250)], half, 1],
  ['a little above: nothing', [pod(550), pod(540)], half, 2],
  ['a little below: nothing', [pod(450), pod(460)], half, 2],
  ['part of a pod is a pod', [pod(600), pod(600)], half, 3],
  ['an amount per pod', [pod(300), pod(300)], { averageMilli: 100 }, 6],
  ['one was not measured: it counts as idle when growing', [pod(1000), missing], half, 2],
  ['and as busy when shrinking', [pod(100), pod(100), missing], half, 3],
  ['one has just begun: it counts as idle when growing', [pod(1000), pod(1000), unready(5000)], half, 4],
  ['and does not count when shrinking', [pod(250), pod(250), unready(0)], half, 1],
  ['what is going does not count', [pod(1000), { state: 'ignored', usageMilli: 9000 }], half, 2],
];

test.each(cases)('proposeReplicas(): %s', (_, pods, target, replicas) => {
  const current = pods.filter(({ state }) => state !== 'ignored').length;
  expect(proposeReplicas(current, pods, target, tolerance).replicas).toBe(replicas);
});

test('proposeReplicas() tells what it found', () => {
  expect(proposeReplicas(2, [pod(500), pod(701)], half, tolerance)).toEqual({
    replicas: 3,
    averageMilli: 600,
    utilization: 60,
  });
  expect(() => proposeReplicas(1, [missing], half, tolerance)).toThrow(MetricError);
});

const samples = fc.array(
  fc.record({
    state: fc.constantFrom('counted', 'unready', 'ignored') as fc.Arbitrary<PodSample['state']>,
    usageMilli: fc.option(fc.nat(5000), { nil: undefined }),
    requestMilli: fc.constant(1000),
  }),
  { minLength: 1, maxLength: 12 },
);

test('proposeReplicas(), any pods: whoever was not measured never makes it move further', () => {
  fc.assert(
    fc.property(samples, fc.integer({ min: 1, max: 200 }), (drawn, utilization) => {
      const pods = drawn.map(({ usageMilli, ...one }) => ({ ...one, ...(usageMilli !== undefined && { usageMilli }) }));
      const known = pods.filter(({ state, usageMilli }) => state === 'counted' && usageMilli !== undefined);
      fc.pre(known.length > 0);
      const current = pods.filter(({ state }) => state !== 'ignored').length;
      const { replicas, utilization: found = 0 } = proposeReplicas(current, pods, { utilization }, tolerance);
      expect(Number.isInteger(replicas) && replicas >= 0).toBe(true);
      // The direction is the one of what was measured, or none.
      if (found > utilization) expect(replicas).toBeGreaterThanOrEqual(Math.min(current, known.length));
      const isShort = known.length < current;
      if (isShort && found > utilization) expect(replicas).toBeGreaterThanOrEqual(current);
      const alone = Math.ceil(known.reduce((sum, one) => sum + (one.usageMilli ?? 0), 0) / 10 / utilization);
      if (found > utilization) expect(replicas).toBeLessThanOrEqual(Math.max(current, alone));
    }),
  );
});
