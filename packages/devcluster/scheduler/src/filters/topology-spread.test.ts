import type { Node } from '@slipway/kube-objects/kinds/api/nodes';
import type { Pod, PodSpec, TopologySpreadConstraint } from '@slipway/kube-objects/kinds/api/pods';
import { aNode, aPod } from '@slipway/kube-objects/testing/objects';
import { expect, test } from 'vitest';
import { asking, aView, outcome } from '../testing/a-view.js';

const zone = 'topology.kubernetes.io/zone';
const tainted = { taints: [{ key: 'k', effect: 'NoSchedule' as const }] };
const inZone = (name: string, value: string, spec: Node['spec'] = {}) =>
  aNode(name, { labels: { [zone]: value }, spec });
const [a1, a2, b1] = [inZone('a1', 'a'), inZone('a2', 'a'), inZone('b1', 'b')];
const bare = aNode('bare');
const rule: TopologySpreadConstraint = {
  maxSkew: 1,
  topologyKey: zone,
  whenUnsatisfiable: 'DoNotSchedule',
  labelSelector: { matchLabels: { app: 'a' } },
};
const spreading = (more: Partial<TopologySpreadConstraint> = {}, spec: Partial<PodSpec> = {}) =>
  asking({}, { topologySpreadConstraints: [{ ...rule, ...more }], ...spec });
const on = (nodeName: string, metadata: Partial<Pod['metadata']> = {}) =>
  aPod('other', { metadata, spec: { nodeName } });
const crowded = (count: number) => `${count} node(s) didn't match pod topology spread constraints`;

// what | pod | nodes | pods there are | where it goes
const cases: [string, Pod, readonly Node[], readonly Pod[], string][] = [
  ['a fuller zone', spreading(), [a1, a2, b1], [on('a1')], 'b1'],
  ['a larger skew allowed', spreading({ maxSkew: 2 }), [a1, a2, b1], [on('a1')], 'a2'],
  ['pods of another kind', spreading(), [a1, b1], [on('a1', { labels: { app: 'b' } })], 'b1'],
  [
    'pods of another namespace',
    spreading({}, { nodeSelector: { [zone]: 'a' } }),
    [a1, b1],
    [on('a1', { namespace: 'b' })],
    'a1',
  ],
  [
    'pods on their way out',
    spreading({}, { nodeSelector: { [zone]: 'a' } }),
    [a1, b1],
    [on('a1', { deletionTimestamp: '2026-01-01T00:00:00Z' })],
    'a1',
  ],
  [
    'a node without the label',
    spreading(),
    [bare],
    [],
    `0/1 nodes are available: ${crowded(1)} (missing required label).`,
  ],
  [
    'fewer zones than there should be',
    spreading({ minDomains: 3 }),
    [a1, b1],
    [on('a1'), on('b1')],
    `0/2 nodes are available: ${crowded(2)}.`,
  ],
  [
    'an emptier zone that its selector excludes',
    spreading({}, { nodeSelector: { [zone]: 'a' } }),
    [a1, b1],
    [on('a1')],
    'a1',
  ],
  [
    'an emptier zone that its selector excludes, counted',
    spreading({ nodeAffinityPolicy: 'Ignore' }, { nodeSelector: { [zone]: 'a' } }),
    [a1, b1],
    [on('a1')],
    `0/2 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, ${crowded(1)}.`,
  ],
  [
    'an emptier zone that a taint closes',
    spreading(),
    [a1, inZone('b1', 'b', tainted)],
    [on('a1')],
    `0/2 nodes are available: ${crowded(1)}, 1 node(s) had untolerated taint(s).`,
  ],
  [
    'an emptier zone that a taint closes, not counted',
    spreading({ nodeTaintsPolicy: 'Honor' }),
    [a1, inZone('b1', 'b', tainted)],
    [on('a1')],
    'a1',
  ],
  [
    'pods of an older template',
    {
      ...spreading({ matchLabelKeys: ['hash'] }),
      metadata: { name: 'p', namespace: 'default', labels: { app: 'a', hash: '2' } },
    },
    [a1, b1],
    [on('a1', { labels: { app: 'a', hash: '1' } }), on('b1', { labels: { app: 'a', hash: '2' } })],
    'a1',
  ],
  [
    'a zone that is better but not demanded',
    spreading({ whenUnsatisfiable: 'ScheduleAnyway' }),
    [a1, b1],
    [on('a1')],
    'b1',
  ],
  [
    'a zone that is better and closed',
    spreading({ whenUnsatisfiable: 'ScheduleAnyway' }),
    [a1, inZone('b1', 'b', tainted)],
    [on('a1')],
    'a1',
  ],
];

test.each(cases)('a pod to be spread, with %s', (_what, pod, nodes, pods, expected) => {
  expect(outcome(pod, aView(nodes, pods))).toBe(expected);
});
