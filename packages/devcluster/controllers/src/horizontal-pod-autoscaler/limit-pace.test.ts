import type { ScalingRuleFields } from '@slipway/kube-objects/kinds/autoscaler';
import { defaultScaleDown, defaultScaleUp } from '@slipway/kubernetes-kinds/kinds/autoscaler-spec';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { limitPace, type Memory, remember } from './limit-pace.js';

const nothing: Memory = { recommendations: [], events: [] };
const nowMs = 10_000_000;
const ago = (seconds: number) => nowMs - seconds * 1000;
const bounds = { min: 1, max: 100 };

test('limitPace() without rules: at most twice as many, or four; what was wanted lately stays', () => {
  const of = (current: number, desired: number, memory = nothing) => {
    const { replicas, able, limited } = limitPace({ current, desired, ...bounds }, memory, nowMs);
    return [replicas, able.reason, limited.reason];
  };
  expect(of(1, 50)).toEqual([4, 'ReadyForNewScale', 'ScaleUpLimit']);
  expect(of(10, 50)).toEqual([20, 'ReadyForNewScale', 'ScaleUpLimit']);
  expect(of(90, 150)).toEqual([100, 'ReadyForNewScale', 'TooManyReplicas']);
  expect(of(5, 0)).toEqual([1, 'ReadyForNewScale', 'TooFewReplicas']);
  const before = { ...nothing, recommendations: [{ replicas: 8, atMs: ago(299) }] };
  expect(of(8, 2, before)).toEqual([8, 'ScaleDownStabilized', 'DesiredWithinRange']);
  expect(of(8, 2, { ...nothing, recommendations: [{ replicas: 8, atMs: ago(301) }] })[0]).toBe(2);
});

const ruled = (scaleUp: ScalingRuleFields = {}, scaleDown: ScalingRuleFields = {}) => ({
  scaleUp: { ...defaultScaleUp(), ...scaleUp },
  scaleDown: { ...defaultScaleDown(), stabilizationWindowSeconds: 0, ...scaleDown },
});

// what | behavior | current -> desired | what happened | replicas | why
const rules: [string, ReturnType<typeof ruled>, number, number, Memory, number, string][] = [
  ['four pods or twice as many', ruled(), 1, 50, nothing, 5, 'ScaleUpLimit'],
  [
    'what came within the period counts',
    ruled(),
    5,
    50,
    { ...nothing, events: [{ change: 4, atMs: ago(14) }] },
    5,
    'ScaleUpLimit',
  ],
  [
    'and no longer after it',
    ruled(),
    5,
    50,
    { ...nothing, events: [{ change: 4, atMs: ago(16) }] },
    10,
    'ScaleUpLimit',
  ],
  ['the least of two policies', ruled({ selectPolicy: 'Min' }), 10, 50, nothing, 14, 'ScaleUpLimit'],
  ['switched off', ruled({ selectPolicy: 'Disabled' }), 3, 9, nothing, 3, 'ScaleUpLimit'],
  [
    'one pod a minute down',
    ruled({}, { policies: [{ type: 'Pods', value: 1, periodSeconds: 60 }] }),
    9,
    2,
    nothing,
    8,
    'ScaleDownLimit',
  ],
  [
    'a tenth down',
    ruled({}, { policies: [{ type: 'Percent', value: 10, periodSeconds: 60 }] }),
    80,
    2,
    nothing,
    72,
    'ScaleDownLimit',
  ],
  [
    'waits before it grows',
    ruled({ stabilizationWindowSeconds: 60 }),
    3,
    9,
    { ...nothing, recommendations: [{ replicas: 3, atMs: ago(30) }] },
    3,
    'DesiredWithinRange',
  ],
];

test.each(rules)('limitPace() with rules: %s', (_, behavior, current, desired, memory, replicas, reason) => {
  const limited = limitPace({ current, desired, ...bounds, behavior }, memory, nowMs);
  expect([limited.replicas, limited.limited.reason]).toEqual([replicas, reason]);
});

const policies = fc.array(
  fc.record({
    type: fc.constantFrom('Pods', 'Percent'),
    value: fc.integer({ min: 1, max: 200 }),
    periodSeconds: fc.integer({ min: 1, max: 1800 }),
  }),
  { minLength: 1, maxLength: 3 },
);
const side = fc.record({
  policies,
  selectPolicy: fc.constantFrom('Max', 'Min', 'Disabled'),
  stabilizationWindowSeconds: fc.integer({ min: 0, max: 600 }),
});
const story = fc.array(fc.record({ desired: fc.nat(60), afterSeconds: fc.integer({ min: 1, max: 120 }) }), {
  minLength: 1,
  maxLength: 20,
});

test('limitPace(), any story: within the bounds, towards what is wanted, and a reason exactly when it is held', () => {
  fc.assert(
    fc.property(
      fc.option(fc.record({ scaleUp: side, scaleDown: side }), { nil: undefined }),
      story,
      (behavior, steps) => {
        let memory = nothing;
        let current = 5;
        let atMs = nowMs;
        for (const { desired, afterSeconds } of steps) {
          atMs += afterSeconds * 1000;
          const { replicas, limited } = limitPace({ current, desired, min: 2, max: 40, behavior }, memory, atMs);
          expect(replicas >= 2 && replicas <= 40).toBe(true);
          if (replicas > current) expect(behavior?.scaleUp.selectPolicy).not.toBe('Disabled');
          if (replicas < current) expect(behavior?.scaleDown.selectPolicy).not.toBe('Disabled');
          expect(limited.status === 'False').toBe(limited.reason === 'DesiredWithinRange');
          memory = remember(remember(memory, { desired }, atMs), { change: replicas - current }, atMs);
          current = replicas;
        }
      },
    ),
  );
});
