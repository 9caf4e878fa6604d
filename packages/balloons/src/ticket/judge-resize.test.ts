import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Amounts, parseAmounts, within } from '../planner/amounts.js';
import type { BalloonPod } from '../pods/balloon-pod.js';
import { aBalloon } from '../testing/a-balloon.js';
import { judgeResize, rollbackStep } from './judge-resize.js';

const from = parseAmounts({ cpu: '1', memory: '1Gi' });
const to = parseAmounts({ cpu: '4', memory: '4Gi' });
const asked = { podUID: 'p1', to, podGeneration: 3 };

function pod(change: Partial<BalloonPod> = {}): BalloonPod {
  return aBalloon({ desired: to, allocated: from, actual: from, ...change });
}

const deferred = { reason: 'Deferred', message: 'no room', observedGeneration: 3 } as const;

describe('a resize is judged by one snapshot, and the first of these counts', () => {
  test.each([
    ['the pod is gone', undefined, 'pod-replaced'],
    ['another pod has its name', pod({ uid: 'p2' }), 'pod-replaced'],
    ['the pod is being deleted', pod({ deleting: true, allocated: to }), 'pod-replaced'],
    ['all of it is set aside', pod({ allocated: to }), 'succeeded'],
    [
      'it is set aside, and an old condition still says it waits',
      pod({ allocated: to, pending: deferred }),
      'succeeded',
    ],
    ['it is set aside and could not be carried out yet', pod({ allocated: to, failing: 'cgroup busy' }), 'succeeded'],
    ['the kubelet waits for room', pod({ pending: deferred }), 'roll-back'],
    ['nothing was said yet', pod(), 'wait'],
    ['what is said is about the spec before', pod({ pending: { ...deferred, observedGeneration: 2 } }), 'wait'],
    ['pods have no generation here', pod({ pending: { ...deferred, observedGeneration: undefined } }), 'roll-back'],
  ] as const)('%s', (_, seen, kind) => {
    expect(judgeResize(asked, seen).kind).toBe(kind);
  });

  test('what can never be is said as such', () => {
    const pending = { reason: 'Infeasible', message: 'larger than the node', observedGeneration: 3 } as const;
    expect(judgeResize(asked, pod({ pending }))).toEqual({
      kind: 'roll-back',
      because: 'Infeasible',
      message: 'larger than the node',
    });
  });
});

describe('a rollback', () => {
  test('asks for exactly what is set aside, of the pod as it was read', () => {
    expect(rollbackStep(asked, pod({ pending: deferred }))).toEqual({ kind: 'patch', to: from, resourceVersion: '7' });
  });

  test('leaves alone what was accepted meanwhile', () => {
    expect(rollbackStep(asked, pod({ allocated: to })).kind).toBe('accepted-late');
  });

  test('is over when the kubelet no longer remembers the wish', () => {
    expect(rollbackStep(asked, pod({ desired: from, pending: deferred })).kind).toBe('wait');
    expect(rollbackStep(asked, pod({ desired: from })).kind).toBe('rolled-back');
  });

  test('never asks for more than is set aside', () => {
    const amounts: fc.Arbitrary<Amounts> = fc.record({ cpu: fc.bigInt(0n, 9n), memory: fc.bigInt(0n, 9n) });
    fc.assert(
      fc.property(amounts, amounts, amounts, (desired, allocated, wanted) => {
        const step = rollbackStep({ ...asked, to: wanted }, pod({ desired, allocated }));
        if (step.kind === 'patch') expect(within(step.to, allocated)).toBe(true);
      }),
    );
  });
});
