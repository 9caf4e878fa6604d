import type { Node } from '@slipway/kube-objects/kinds/api/nodes';
import type { NodeSelectorRequirement, Pod, Toleration } from '@slipway/kube-objects/kinds/api/pods';
import { matchesNode } from '@slipway/kube-objects/rules/node-affinity';
import { tolerates } from '@slipway/kube-objects/rules/taints';
import { versionProfiles } from '@slipway/kube-objects/rules/version-profile';
import { aNode } from '@slipway/kube-objects/testing/objects';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { demandOf } from '../demand/demand.js';
import { allFilters } from '../filters/all-filters.js';
import { asking, aView, firstOfTheBest, outcome } from '../testing/a-view.js';
import { ClusterState } from '../view/cluster-state.js';
import { placePod } from './place-pod.js';

const tainted = { taints: [{ key: 'k', value: 'v', effect: 'NoSchedule' as const }] };
const selected: NodeSelectorRequirement = { key: 'disk', operator: 'In', values: ['ssd'] };
const required = (...matchExpressions: NodeSelectorRequirement[]) => ({
  nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] } },
});
const onlyOn = (...names: string[]) => ({
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In' as const, values: names }] }],
    },
  },
});
const [n1, n2, n3] = [aNode('n1'), aNode('n2'), aNode('n3')];
const ssd = aNode('n4', { labels: { disk: 'ssd' } });
const small = aNode('n5', { allocatable: { cpu: '1', memory: '1Gi', pods: '110' } });
const full = aNode('n6', { allocatable: { cpu: '4', memory: '8Gi', pods: '0' } });

// what | pod | nodes | where it goes
const cases: [string, Pod, readonly Node[], string][] = [
  ['no node', asking({}), [], 'no nodes available to schedule pods'],
  ['too little cpu', asking({ cpu: '5' }), [n1, n2, n3], '0/3 nodes are available: 3 Insufficient cpu.'],
  [
    'too little of two things',
    asking({ cpu: '5', memory: '9Gi' }),
    [n1, n2],
    '0/2 nodes are available: 2 Insufficient cpu, 2 Insufficient memory.',
  ],
  [
    'several reasons',
    asking({ memory: '9Gi' }),
    [n1, aNode('a', { spec: tainted }), aNode('b', { spec: tainted })],
    '0/3 nodes are available: 1 Insufficient memory, 2 node(s) had untolerated taint(s).',
  ],
  [
    'a cordoned node',
    asking({}),
    [aNode('a', { spec: { unschedulable: true } })],
    '0/1 nodes are available: 1 node(s) were unschedulable.',
  ],
  ['no room for one more pod', asking({}), [full], '0/1 nodes are available: 1 Too many pods.'],
  [
    'a resource that nobody has',
    asking({ 'example.com/gpu': '1' }),
    [n1],
    '0/1 nodes are available: 1 Insufficient example.com/gpu.',
  ],
  [
    'a selector that selects nothing',
    asking({}, { nodeSelector: { disk: 'ssd' } }),
    [n1],
    "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.",
  ],
  ['a selector', asking({}, { nodeSelector: { disk: 'ssd' } }), [n1, ssd], 'n4'],
  ['a required affinity', asking({}, { affinity: required(selected) }), [n1, ssd], 'n4'],
  [
    'a preferred affinity',
    asking(
      {},
      {
        affinity: {
          nodeAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 10, preference: { matchExpressions: [selected] } },
            ],
          },
        },
      },
    ),
    [n1, ssd, n2],
    'n4',
  ],
  [
    'a taint that is tolerated',
    asking({}, { tolerations: [{ key: 'k', operator: 'Exists' }] }),
    [aNode('a', { spec: tainted })],
    'a',
  ],
  [
    'a taint that would rather not',
    asking({}),
    [aNode('a', { spec: { taints: [{ key: 'k', effect: 'PreferNoSchedule' }] } }), small],
    'n5',
  ],
  [
    'the name of a node that is full',
    asking({ cpu: '9' }, { affinity: onlyOn('n2') }),
    [n1, n2, n3],
    "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't satisfy plugin(s) [NodeAffinity].",
  ],
  [
    'names of nodes that exclude each other',
    asking(
      {},
      {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [
                {
                  matchFields: ['n1', 'n2'].map((name) => ({ key: 'metadata.name', operator: 'In', values: [name] })),
                },
              ],
            },
          },
        },
      },
    ),
    [n1, n2],
    '0/2 nodes are available: pod affinity terms conflict.',
  ],
  ['more room elsewhere', asking({ cpu: '500m' }), [small, n1], 'n1'],
];

test.each(cases)('placePod() with %s', (_what, pod, nodes, expected) => {
  expect(outcome(pod, aView(nodes))).toBe(expected);
});

test('placePod() names the taint before Kubernetes 1.34', () => {
  const view = aView([aNode('a', { spec: tainted })]);
  expect(outcome(asking({}), view, versionProfiles['v1.33'])).toBe(
    '0/1 nodes are available: 1 node(s) had untolerated taint {k: v}.',
  );
});

// ports that are taken | port wanted | whether the pod fits
const ports: [object, object, boolean][] = [
  [{ hostPort: 80 }, { hostPort: 80 }, false],
  [{ hostPort: 80 }, { hostPort: 81 }, true],
  [{ hostPort: 80, protocol: 'UDP' }, { hostPort: 80 }, true],
  [{ hostPort: 80, hostIP: '10.0.0.1' }, { hostPort: 80, hostIP: '10.0.0.2' }, true],
  [{ hostPort: 80, hostIP: '10.0.0.1' }, { hostPort: 80 }, false],
];

test.each(ports)('placePod() beside a pod with port %j, of a pod with port %j', (taken, wanted, fits) => {
  const using = (port: object, more: object = {}) =>
    asking({}, { containers: [{ name: 'c', ports: [{ containerPort: 1, ...port }] }], ...more });
  expect(outcome(using(wanted), aView([n1], [using(taken, { nodeName: 'n1' })]))).toBe(
    fits ? 'n1' : "0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports.",
  );
});

test('placePod() spreads pods that ask for nothing', () => {
  const placed: Pod[] = [];
  for (let index = 0; index < 9; index++) {
    const nodeName = outcome(asking({}), aView([n1, n2, n3], placed));
    placed.push(asking({}, { nodeName }));
  }
  expect(placed.map(({ spec }) => spec.nodeName).sort()).toEqual('n1 n1 n1 n2 n2 n2 n3 n3 n3'.split(' '));
});

test('placePod() chooses among equal nodes by the dice, and in large clusters looks at some only', () => {
  const many = Array.from({ length: 400 }, (_, index) => aNode(`n${index}`));
  const choose = (random: number, firstNode: number) =>
    placePod(demandOf(asking({})), aView(many), allFilters(versionProfiles.native), {
      ...firstOfTheBest(versionProfiles.native),
      random: () => random,
      firstNode,
    });
  expect(choose(0, 0)).toEqual({ kind: 'node', nodeName: 'n0', looked: 188 });
  expect(choose(0.999, 0)).toMatchObject({ nodeName: 'n187' });
  expect(choose(0, 399)).toMatchObject({ nodeName: 'n399' });
});

test('any pods: what is placed on a node never exceeds what it has, and what goes is free again', () => {
  const request = fc.record({ cpu: fc.integer({ min: 0, max: 3000 }), leaves: fc.boolean() });
  fc.assert(
    fc.property(fc.array(request, { maxLength: 40 }), (requests) => {
      const state = new ClusterState();
      for (const node of [n1, small]) state.putNode(node);
      const placed: string[] = [];
      for (const { cpu, leaves } of requests) {
        const demand = demandOf(asking({ cpu: `${cpu}m` }));
        const nodeName = outcome(demand.pod, { ...aView([]), nodes: state.nodes() });
        if (state.node(nodeName)) {
          state.place(nodeName, demand);
          placed.push(demand.uid);
        }
        if (leaves && placed.length > 0) state.remove(placed.shift() ?? '');
        for (const { used, allocatable } of state.nodes()) {
          expect(used.get('cpu') ?? 0).toBeLessThanOrEqual(allocatable.get('cpu') ?? 0);
        }
      }
      for (const uid of placed) state.remove(uid);
      expect(state.nodes().every(({ used, load, pods }) => used.size + load.size + pods.length === 0)).toBe(true);
    }),
  );
});

test('ClusterState counts pods of a node that came before the node did, or went and came back', () => {
  const state = new ClusterState();
  state.place('n1', demandOf(asking({ cpu: '1' })));
  state.putNode(n1);
  expect(state.nodes()[0]?.used.get('cpu')).toBe(1000);
  state.removeNode('n1');
  state.putNode(n1);
  expect(state.nodes()[0]?.used.get('cpu')).toBe(1000);
});

// toleration | whether it covers k=v:NoSchedule
const tolerations: [Toleration, boolean][] = [
  [{ operator: 'Exists' }, true],
  [{ key: 'k', operator: 'Exists' }, true],
  [{ key: 'x', operator: 'Exists' }, false],
  [{ key: 'k', value: 'v' }, true],
  [{ key: 'k', operator: 'Equal', value: 'x' }, false],
  [{ key: 'k', operator: 'Exists', effect: 'NoSchedule' }, true],
  [{ key: 'k', operator: 'Exists', effect: 'NoExecute' }, false],
  [{}, false],
];

test.each(tolerations)('tolerates() of %j', (toleration, expected) => {
  expect(tolerates(toleration, { key: 'k', value: 'v', effect: 'NoSchedule' })).toBe(expected);
});

// requirement | whether a node with disk=ssd and size=10 fulfils it
const requirements: [NodeSelectorRequirement, boolean][] = [
  [{ key: 'disk', operator: 'In', values: ['hdd', 'ssd'] }, true],
  [{ key: 'disk', operator: 'NotIn', values: ['ssd'] }, false],
  [{ key: 'none', operator: 'NotIn', values: ['x'] }, true],
  [{ key: 'disk', operator: 'Exists' }, true],
  [{ key: 'none', operator: 'DoesNotExist' }, true],
  [{ key: 'size', operator: 'Gt', values: ['9'] }, true],
  [{ key: 'size', operator: 'Lt', values: ['10'] }, false],
  [{ key: 'disk', operator: 'Gt', values: ['9'] }, false],
];

test.each(requirements)('matchesNode() by %j', (requirement, expected) => {
  const node = aNode('n', { labels: { disk: 'ssd', size: '10' } });
  expect(matchesNode(asking({}, { affinity: required(requirement) }), node)).toBe(expected);
});
