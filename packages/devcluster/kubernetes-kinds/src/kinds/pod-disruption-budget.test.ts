import { expect, test } from 'vitest';
import { podDisruptionBudgets } from './pod-disruption-budget.js';
import { created, createErrors, row } from './testing/write.js';

const selector = { matchLabels: { app: 'web' } };
const percent =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

// spec | what is wrong with it
const budgets: [object, string[]][] = [
  [{ selector, minAvailable: 1 }, []],
  [{ selector: {}, maxUnavailable: '30%' }, []],
  [{}, []],
  [
    { minAvailable: 1, maxUnavailable: 1 },
    [
      'spec: Invalid value: {"MinAvailable":1,"Selector":null,"MaxUnavailable":1,"UnhealthyPodEvictionPolicy":null}: minAvailable and maxUnavailable cannot be both set',
    ],
  ],
  [{ minAvailable: -1 }, ['spec.minAvailable: Invalid value: -1: must be greater than or equal to 0']],
  [{ maxUnavailable: '101%' }, ['spec.maxUnavailable: Invalid value: "101%": must not be greater than 100%']],
  [{ maxUnavailable: 'all' }, [`spec.maxUnavailable: Invalid value: "all": ${percent}`]],
  [
    { selector: { matchExpressions: [{ key: 'app', operator: 'Near' }] } },
    ['spec.selector.matchExpressions[0].operator: Invalid value: "Near": not a valid selector operator'],
  ],
  [
    { unhealthyPodEvictionPolicy: 'Never' },
    ['spec.unhealthyPodEvictionPolicy: Unsupported value: "Never": supported values: "AlwaysAllow", "IfHealthyBudget"'],
  ],
];

test.each(budgets)('PodDisruptionBudget of %j', (spec, errors) => {
  expect(createErrors(podDisruptionBudgets, { spec })).toEqual(errors);
});

test('PodDisruptionBudget allows nothing before its pods were counted', () => {
  const spec = { selector, minAvailable: 1 };
  const budget = created(podDisruptionBudgets, { spec, status: { disruptionsAllowed: 5 } });
  expect(budget.status).toEqual({ disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 });
});

test('PodDisruptionBudget shows what kubectl get does', () => {
  const metadata = { name: 'it', creationTimestamp: '2026-11-20T11:57:00Z' };
  const budget = (spec: object, disruptionsAllowed: number) => ({
    ...created(podDisruptionBudgets, { spec }),
    metadata,
    status: { disruptionsAllowed },
  });
  expect(row(podDisruptionBudgets, budget({ minAvailable: 0 }, 2))).toEqual({
    'MIN AVAILABLE': '0',
    'MAX UNAVAILABLE': 'N/A',
    'ALLOWED DISRUPTIONS': 2,
    AGE: '3m',
  });
  expect(row(podDisruptionBudgets, budget({ maxUnavailable: '50%' }, 0))).toMatchObject({
    'MIN AVAILABLE': 'N/A',
    'MAX UNAVAILABLE': '50%',
  });
});
