import type { DisruptionBudgetStatus, PodDisruptionBudget } from '@slipway/kube-objects/kinds/api/disruption-budgets';
import { aPod } from '@slipway/kube-objects/testing/objects';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { budgetStatus, expiredEvictions, failedStatus, needsScale, recheckInMs } from './budget-status.js';

const nowMs = Date.UTC(2026, 0, 1, 1);
const granted = '2026-01-01T00:59:00Z';
const longAgo = '2026-01-01T00:00:00Z';

function aBudget(spec: PodDisruptionBudget['spec'], status?: Partial<DisruptionBudgetStatus>): PodDisruptionBudget {
  const counts = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'b', namespace: 'default', generation: 2 },
    spec: { selector: { matchLabels: { app: 'a' } }, ...spec },
    ...(status && { status: { ...counts, ...status } }),
  };
}

/** One letter per pod: `r` ready, `u` not ready, `t` terminating. */
const pods = (letters: string) =>
  [...letters].map((letter, index) =>
    aPod(`p${index}`, {
      ...(letter === 'u' && { status: { phase: 'Running' } }),
      ...(letter === 't' && { metadata: { deletionTimestamp: granted } }),
    }),
  );

// spec | pods | replicas wanted | expected desired healthy allowed
const cases: [PodDisruptionBudget['spec'], string, number, string][] = [
  [{ minAvailable: 2 }, 'rrr', 0, '3 2 3 1'],
  [{ minAvailable: 2 }, 'rru', 0, '3 2 2 0'],
  [{ minAvailable: 2 }, 'rrrt', 0, '4 2 3 1'],
  [{ minAvailable: 5 }, 'rrr', 0, '3 5 3 0'],
  [{ minAvailable: 0 }, 'rr', 0, '2 0 2 2'],
  [{ minAvailable: 0 }, '', 0, '0 0 0 0'],
  [{ minAvailable: '50%' }, 'rrr', 3, '3 2 3 1'],
  [{ minAvailable: '100%' }, 'rrr', 3, '3 3 3 0'],
  [{ maxUnavailable: 1 }, 'rrr', 3, '3 2 3 1'],
  [{ maxUnavailable: 1 }, 'rru', 3, '3 2 2 0'],
  [{ maxUnavailable: 1 }, 'rr', 4, '4 3 2 0'],
  [{ maxUnavailable: '30%' }, 'rrr', 3, '3 2 3 1'],
  [{ maxUnavailable: 9 }, 'rrr', 3, '3 0 3 3'],
  [{}, 'rr', 2, '0 0 2 0'],
];

test.each(cases)('budgetStatus() of %j with pods %j of %i', (spec, letters, scale, expected) => {
  const budget = aBudget(spec);
  const status = budgetStatus({ budget, pods: pods(letters), scale, nowMs });
  const { expectedPods, desiredHealthy, currentHealthy, disruptionsAllowed } = status;
  expect([expectedPods, desiredHealthy, currentHealthy, disruptionsAllowed].join(' ')).toBe(expected);
  expect(status.observedGeneration).toBe(2);
  const allowed = disruptionsAllowed > 0;
  expect(status.conditions).toMatchObject([
    {
      type: 'DisruptionAllowed',
      status: allowed ? 'True' : 'False',
      reason: allowed ? 'SufficientPods' : 'InsufficientPods',
      observedGeneration: 2,
    },
  ]);
});

test('a pod whose eviction was granted counts as gone, until it is too late to believe it', () => {
  const spec = { minAvailable: 1 };
  const fresh = { budget: aBudget(spec, { disruptedPods: { p0: granted, gone: granted } }), scale: 0, nowMs };
  expect(budgetStatus({ ...fresh, pods: pods('rr') })).toMatchObject({
    disruptedPods: { p0: granted },
    currentHealthy: 1,
    disruptionsAllowed: 0,
  });
  expect(recheckInMs({ ...fresh, pods: pods('rr') })).toBe(60_000);
  expect(recheckInMs({ ...fresh, pods: pods('tr') })).toBeUndefined();
  const stale = { budget: aBudget(spec, { disruptedPods: { p0: longAgo } }), pods: pods('rr'), scale: 0, nowMs };
  expect(budgetStatus(stale)).toMatchObject({ currentHealthy: 2, disruptionsAllowed: 1 });
  expect(budgetStatus(stale)).not.toHaveProperty('disruptedPods');
  expect(expiredEvictions(stale).map(({ metadata }) => metadata.name)).toEqual(['p0']);
});

test('failedStatus() allows nothing and says why, keeping the counts', () => {
  const budget = aBudget({ maxUnavailable: 1 }, { disruptionsAllowed: 2, currentHealthy: 3, expectedPods: 3 });
  expect(failedStatus(budget, 'no scale', nowMs)).toMatchObject({
    disruptionsAllowed: 0,
    currentHealthy: 3,
    conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'SyncFailed', message: 'no scale' }],
  });
});

test('needsScale() unless a count of pods must stay', () => {
  const answers = [{ minAvailable: 1 }, { minAvailable: '1%' }, { maxUnavailable: 1 }, {}].map((spec) =>
    needsScale(aBudget(spec)),
  );
  expect(answers).toEqual([false, true, true, false]);
});

test('any budget: evicting all that is allowed leaves as many healthy pods as desired', () => {
  const share = fc.integer({ min: 0, max: 100 }).map((percent) => `${percent}%`);
  const value = fc.oneof(fc.nat(8), share);
  const spec = fc.oneof(
    value.map((minAvailable) => ({ minAvailable })),
    value.map((maxUnavailable) => ({ maxUnavailable })),
  );
  const letters = fc.string({ unit: fc.constantFrom('r', 'u', 't'), maxLength: 8 });
  fc.assert(
    fc.property(spec, letters, fc.nat(8), (given, there, scale) => {
      const status = budgetStatus({ budget: aBudget(given), pods: pods(there), scale, nowMs });
      expect(status.disruptionsAllowed).toBeGreaterThanOrEqual(0);
      if (status.disruptionsAllowed === 0) return;
      expect(status.currentHealthy - status.disruptionsAllowed).toBe(status.desiredHealthy);
      const evicted = there.split('');
      for (let left = status.disruptionsAllowed; left > 0; left--) evicted[evicted.indexOf('r')] = 't';
      const after = budgetStatus({ budget: aBudget(given), pods: pods(evicted.join('')), scale, nowMs });
      expect(after.disruptionsAllowed).toBe(0);
    }),
  );
});
