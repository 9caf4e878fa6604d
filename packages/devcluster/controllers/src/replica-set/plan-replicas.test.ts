import { isActive, type Pod } from '@slipway/kube-objects/kinds/api/pods';
import { aPod, readySince } from '@slipway/kube-objects/testing/objects';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { leastMissedFirst, planReplicas } from './plan-replicas.js';

const nowMs = Date.UTC(2026, 0, 1, 1);
const going = { deletionTimestamp: '2026-01-01T00:00:00Z' };

test('planReplicas() counts neither pods that are going nor those that have finished', () => {
  const pods = [aPod('a'), aPod('b', { metadata: going }), aPod('c', { status: { phase: 'Failed' } })];
  expect(planReplicas(3, pods, nowMs)).toEqual({ create: 2, remove: [] });
  expect(planReplicas(1, pods, nowMs)).toEqual({ create: 0, remove: [] });
});

test('planReplicas() creates and removes no more than 500 at once', () => {
  expect(planReplicas(2000, [], nowMs).create).toBe(500);
  const many = Array.from({ length: 700 }, (_, index) => aPod(`p${index}`));
  expect(planReplicas(0, many, nowMs).remove).toHaveLength(500);
});

const on = (nodeName: string) => ({ spec: { nodeName } });
const containerOf = (restartCount: number) => ({
  name: 'main',
  image: '',
  imageID: '',
  ready: true,
  restartCount,
  state: {},
});

// why the first would be missed less than the second
const orders: [string, Pod, Pod][] = [
  ['has no node', aPod('a'), aPod('b', on('n1'))],
  ['does not run', aPod('a', { ...on('n1'), status: { phase: 'Pending' } }), aPod('b', on('n1'))],
  ['is not ready', aPod('a', { ...on('n1'), status: { phase: 'Running' } }), aPod('b', on('n1'))],
  [
    'is cheap to delete',
    aPod('a', { ...on('n1'), metadata: { annotations: { 'controller.kubernetes.io/pod-deletion-cost': '-5' } } }),
    aPod('b', on('n1')),
  ],
  [
    'became ready later',
    aPod('a', { ...on('n1'), status: readySince('2026-01-01T00:59:00Z') }),
    aPod('b', { ...on('n1'), status: readySince('2026-01-01T00:00:00Z') }),
  ],
  [
    'restarted more often',
    aPod('a', { ...on('n1'), status: { ...readySince('2026-01-01T00:00:00Z'), containerStatuses: [containerOf(2)] } }),
    aPod('b', { ...on('n1'), status: { ...readySince('2026-01-01T00:00:00Z'), containerStatuses: [containerOf(1)] } }),
  ],
  [
    'is younger',
    aPod('a', { ...on('n1'), metadata: { creationTimestamp: '2026-01-01T00:59:00Z' } }),
    aPod('b', { ...on('n1'), metadata: { creationTimestamp: '2026-01-01T00:00:00Z' } }),
  ],
];

test.each(orders)('leastMissedFirst() puts the pod first that %s', (_why, first, second) => {
  expect(leastMissedFirst([second, first], nowMs)).toEqual([first, second]);
  expect(leastMissedFirst([first, second], nowMs)).toEqual([first, second]);
});

test('leastMissedFirst() thins out the node with most of them', () => {
  const pods = [aPod('a', on('n1')), aPod('b', on('n2')), aPod('c', on('n2'))];
  expect(leastMissedFirst(pods, nowMs)[0]?.spec.nodeName).toBe('n2');
});

test('any pods: after the plan is done there are as many active ones as wanted', () => {
  const somePod = fc.constantFrom(
    () => aPod('ready', on('n1')),
    () => aPod('pending', { status: { phase: 'Pending' } }),
    () => aPod('going', { metadata: going }),
    () => aPod('failed', { status: { phase: 'Failed' } }),
  );
  fc.assert(
    fc.property(fc.nat(20), fc.array(somePod, { maxLength: 20 }), (wanted, makers) => {
      const pods = makers.map((make) => make());
      const { create, remove } = planReplicas(wanted, pods, nowMs);
      expect(pods.filter(isActive).length + create - remove.length).toBe(wanted);
      expect(remove.every(isActive)).toBe(true);
    }),
  );
});
