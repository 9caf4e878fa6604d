import type { PodDisruptionBudget } from '@slipway/kube-objects/kinds/api/disruption-budgets';
import type { Pod, PodSpec } from '@slipway/kube-objects/kinds/api/pods';
import { aNode, aPod } from '@slipway/kube-objects/testing/objects';
import { expect, test } from 'vitest';
import { demandOf } from '../demand/demand.js';
import { asking, aView, preemption } from '../testing/a-view.js';

const [n1, n2] = [aNode('n1'), aNode('n2')];
const high = (cpu: string, spec: Partial<PodSpec> = {}) => asking({ cpu }, { priority: 100, ...spec });
const on = (nodeName: string, name: string, cpu: string, priority = 0, more: Partial<Pod> = {}): Pod => ({
  ...aPod(name, {
    spec: { nodeName, priority, containers: [{ name: 'c', resources: { requests: { cpu } } }] },
    status: { phase: 'Running', startTime: '2026-01-01T00:00:00Z' },
  }),
  ...more,
});
const started = (pod: Pod, startTime: string): Pod => ({ ...pod, status: { ...pod.status, startTime } });
const labelled = (pod: Pod, labels: Record<string, string>): Pod => ({ ...pod, metadata: { ...pod.metadata, labels } });
const leaving = (pod: Pod): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
  status: {
    ...pod.status,
    conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler' }],
  },
});
const nominated = (pod: Pod, nominatedNodeName: string): Pod => ({ ...pod, status: { nominatedNodeName } });
const hopeless = 'Preemption is not helpful for scheduling';
const nobody = 'No preemption victims found for incoming pod';

// rule | pod | pods there are | who goes
const cases: [string, Pod, readonly Pod[], string][] = [
  ['victims have strictly lower priority', high('3'), [on('n1', 'a', '3'), on('n2', 'b', '3', 100)], 'n1: a'],
  [
    'equal is not lower',
    high('3'),
    [on('n1', 'a', '3', 100), on('n2', 'b', '3', 100)],
    `0/2 nodes are available: 2 ${nobody}.`,
  ],
  [
    'none if preemptionPolicy is Never',
    high('3', { preemptionPolicy: 'Never' }),
    [on('n1', 'a', '3'), on('n2', 'b', '3')],
    'not eligible due to preemptionPolicy=Never.',
  ],
  [
    'no more go than must',
    high('2'),
    [on('n1', 'a', '1'), on('n1', 'b', '1', 1), on('n1', 'c', '1', 2), on('n2', 'd', '4', 100)],
    'n1: a',
  ],
  [
    'the highest priority of a victim is lowest',
    high('4'),
    [on('n1', 'a', '4', 2), on('n2', 'b', '2', 1), on('n2', 'c', '2', 1)],
    'n2: b c',
  ],
  [
    'the sum of priorities is lowest',
    high('4'),
    [on('n1', 'a', '2', 2), on('n1', 'b', '2', 1), on('n2', 'c', '2', 2), on('n2', 'd', '2', 0)],
    'n2: c d',
  ],
  [
    'the victims are fewest, also where priorities are negative',
    high('4'),
    [on('n1', 'a', '2', -1), on('n1', 'b', '2', -1), on('n2', 'c', '4', -1)],
    'n2: c',
  ],
  [
    'the victims started last',
    high('4'),
    [on('n1', 'a', '4'), started(on('n2', 'b', '4'), '2026-02-01T00:00:00Z')],
    'n2: b',
  ],
  [
    'of equals on one node the longest running stays',
    high('2'),
    [started(on('n1', 'a', '2'), '2025-01-01T00:00:00Z'), on('n1', 'b', '2'), on('n2', 'c', '4', 100)],
    'n1: b',
  ],
  [
    'what does not fit an empty node preempts nobody',
    high('5'),
    [on('n1', 'a', '4')],
    `0/2 nodes are available: 2 ${hopeless}.`,
  ],
  [
    'what lower pods leave is still too little',
    high('3'),
    [on('n1', 'a', '1'), on('n1', 'b', '2', 100), on('n2', 'c', '4', 100)],
    `0/2 nodes are available: 1 Insufficient cpu, 1 ${nobody}.`,
  ],
  [
    'selectors are not cured by preemption',
    high('1', { nodeSelector: { x: 'y' } }),
    [],
    `0/2 nodes are available: 2 ${hopeless}.`,
  ],
  [
    'whoever preempted waits for the victims to be gone',
    nominated(high('3'), 'n1'),
    [leaving(on('n1', 'a', '3')), on('n2', 'b', '3')],
    'not eligible due to a terminating pod on the nominated node.',
  ],
  [
    'and goes on when others took the place',
    nominated(high('3'), 'n1'),
    [on('n1', 'a', '3', 100), on('n2', 'b', '3')],
    'n2: b',
  ],
  [
    'a balloon is never a victim, whatever the priority of others',
    asking({ cpu: '3' }, { priority: 2 ** 31 - 1 }),
    ['n1', 'n2'].map((name) => {
      const pod = on(name, `balloon-${name}`, '3', 2_000_001_000);
      return { ...pod, spec: { ...pod.spec, priorityClassName: 'system-balloon' } };
    }),
    `0/2 nodes are available: 2 ${nobody}.`,
  ],
];

test.each(cases)('planPreemption(): %s', (_rule, pod, pods, expected) => {
  expect(preemption(pod, aView([n1, n2], pods))).toBe(expected);
});

const budget = (app: string, disruptionsAllowed: number, more: object = {}): PodDisruptionBudget => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: app, namespace: 'default' },
  spec: { selector: { matchLabels: { app } } },
  status: { disruptionsAllowed, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1, ...more },
});
const guarded = (nodeName: string, name: string, cpu: string, priority = 0) =>
  labelled(on(nodeName, name, cpu, priority), { app: 'guarded' });
const free = (nodeName: string, name: string, cpu: string, priority = 0) =>
  labelled(on(nodeName, name, cpu, priority), { app: 'free' });

// rule | pods there are | disruptions allowed, and granted to | who goes for 4 cpu
const budgets: [string, readonly Pod[], number, object, string][] = [
  [
    'fewest budgets are violated, before anything else',
    [guarded('n1', 'a', '4'), free('n2', 'b', '4', 9)],
    0,
    {},
    'n2: b',
  ],
  ['a budget that allows it is not violated', [guarded('n1', 'a', '4'), free('n2', 'b', '4', 9)], 1, {}, 'n1: a'],
  [
    'budgets are counted down by each victim',
    [guarded('n1', 'a', '2'), guarded('n1', 'b', '2'), free('n2', 'c', '4', 9)],
    1,
    {},
    'n2: c',
  ],
  [
    'a pod whose eviction was granted is no longer protected',
    [guarded('n1', 'a', '4'), free('n2', 'b', '4', 9)],
    0,
    { disruptedPods: { a: '' } },
    'n1: a',
  ],
  ['what cannot be avoided happens', [guarded('n1', 'a', '4'), free('n2', 'b', '4', 100)], 0, {}, 'n1: a'],
];

test.each(budgets)('planPreemption(): %s', (_rule, pods, allowed, granted, expected) => {
  const view = aView([n1, n2], pods, { budgets: [budget('guarded', allowed, granted)] });
  expect(preemption(high('4'), view)).toBe(expected);
});

test('planPreemption() spares protected pods of a node even if more important ones have to go', () => {
  const pods = [guarded('n1', 'a', '2'), free('n1', 'b', '2', 9)];
  expect(preemption(high('2'), aView([n1], pods, { budgets: [budget('guarded', 0)] }))).toBe('n1: b');
});

test('planPreemption() takes pods away that must be far from the new one', () => {
  const labelSelector = { matchLabels: { app: 'a' } };
  const far = {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'kubernetes.io/hostname', labelSelector }],
    },
  };
  const pods = [on('n1', 'a', '1'), labelled(on('n1', 'b', '1'), { app: 'b' })];
  expect(preemption(high('1', { affinity: far }), aView([n1], pods))).toBe('n1: a');
});

test('planPreemption() takes pods away where they are too many of a kind', () => {
  const zone = 'topology.kubernetes.io/zone';
  const nodes = ['a', 'b'].map((value) => aNode(value, { labels: { [zone]: value } }));
  const constraint = {
    maxSkew: 1,
    topologyKey: zone,
    whenUnsatisfiable: 'DoNotSchedule' as const,
    labelSelector: { matchLabels: { app: 'a' } },
  };
  const pods = [on('a', 'x', '1'), on('b', 'full', '4', 100, {})];
  const full = labelled(pods[1] as Pod, { app: 'b' });
  const pod = high('1', { topologySpreadConstraints: [constraint] });
  expect(preemption(pod, aView(nodes, [pods[0] as Pod, full]))).toBe('a: x');
});

test('room that is made for a pod is not given to one of the same or a lower priority', () => {
  const expected = demandOf({ ...high('3'), metadata: { name: 'expected', namespace: 'default', uid: 'expected' } });
  const view = aView([n1], [], { nominated: new Map([['n1', [expected]]]) });
  expect(preemption(asking({ cpu: '2' }, { priority: 100 }), view)).toBe(`0/1 nodes are available: 1 ${nobody}.`);
  expect(preemption(asking({ cpu: '2' }, { priority: 101 }), view)).toBe('fits n1');
});
