import type { KubeObject } from '@slipway/kube';
import { expect, test } from 'vitest';
import { readNode, type Taint } from '../nodes/node-view.js';
import { formatAmounts, parseAmounts } from '../planner/amounts.js';
import { Neighbourhood } from './neighbourhood.js';
import { type GrowingNode, pendingDemand } from './pending-demand.js';

function node(
  name: string,
  cpu: number,
  more: { labels?: Record<string, string>; taints?: Taint[] } = {},
): GrowingNode {
  const { labels = {}, taints = [] } = more;
  const conditions = [{ type: 'Ready', status: 'True' }];
  const metadata = { name, labels };
  return {
    node: readNode({ apiVersion: 'v1', kind: 'Node', metadata, spec: { taints }, status: { conditions } }),
    requested: parseAmounts({ cpu: 1 }),
    most: parseAmounts({ cpu, memory: '64Gi' }),
    size: parseAmounts({ cpu: 1, memory: '64Gi' }),
    withHeadroom: (requested) => requested,
  };
}

function pod(cpu: number, spec: object = {}, message = '0/2 nodes are available: 2 Insufficient cpu.'): KubeObject {
  const containers = [{ name: 'c', resources: { requests: { cpu: String(cpu) } } }];
  const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }];
  return { apiVersion: 'v1', kind: 'Pod', metadata: {}, spec: { containers, ...spec }, status: { conditions } };
}

const required = (term: object) => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } } },
});
const on = (key: string, operator: string, value: string) =>
  required({ matchExpressions: [{ key, operator, values: [value] }] });
/** As the pods of a DaemonSet have it. */
const onNode = (name: string) => required({ matchFields: [{ key: 'metadata.name', operator: 'In', values: [name] }] });
const taint = (key: string): Taint => ({ key, effect: 'NoSchedule' });

test.each<[string, readonly KubeObject[], readonly GrowingNode[], Record<string, string>]>([
  ['the fullest node that can grow enough', [pod(2)], [node('a', 8), node('b', 4)], { b: '2' }],
  ['a larger node when it must', [pod(4)], [node('a', 8), node('b', 4)], { a: '4' }],
  ['none when none is large enough', [pod(9)], [node('a', 8)], {}],
  ['several nodes for several pods', [pod(3), pod(3)], [node('a', 8), node('b', 4)], { a: '3', b: '3' }],
  [
    'one with the labels',
    [pod(2, { nodeSelector: { gpu: 'yes' } })],
    [node('a', 8, { labels: { gpu: 'yes' } }), node('b', 4)],
    { a: '2' },
  ],
  ['none with a taint', [pod(2)], [node('a', 8), node('b', 4, { taints: [taint('dedicated')] })], { a: '2' }],
  [
    'one that we fence ourselves',
    [pod(2)],
    [node('b', 4, { taints: [taint('balloons.slipway.dev/resizing')] })],
    { b: '2' },
  ],
  [
    'the one that its node affinity selects',
    [pod(2, on('zone', 'In', 'z'))],
    [node('a', 8, { labels: { zone: 'z' } }), node('b', 4)],
    { a: '2' },
  ],
  [
    'none that its node affinity excludes',
    [pod(2, on('zone', 'NotIn', 'z'))],
    [node('b', 4, { labels: { zone: 'z' } })],
    {},
  ],
  ['the node that a DaemonSet means', [pod(2, onNode('a'))], [node('a', 8), node('b', 4)], { a: '2' }],
  [
    'another node than the one that a pod of higher priority needs',
    [pod(2), pod(3, { priority: 9, ...onNode('b') })],
    [node('a', 8), node('b', 4)],
    { b: '3', a: '2' },
  ],
  [
    'none whose taint of another value it tolerates',
    [pod(2, { tolerations: [{ key: 'dedicated', value: 'x' }] })],
    [node('b', 4, { taints: [{ ...taint('dedicated'), value: 'y' }] })],
    {},
  ],
  ['none when the kind of device is not known', [pod(2, { resourceClaims: [{ name: 'gpu' }] })], [node('a', 8)], {}],
  ['none when a larger size does not help', [pod(2, {}, 'node(s) had untolerated taint')], [node('a', 8)], {}],
])('pendingDemand() gives a pod to %s', (_, pods, nodes, expected) => {
  const pending = pods.map((each) => ({ pod: each, volumes: [] }));
  const views = nodes.map(({ node: view }) => view);
  const all = new Neighbourhood(views, []);
  const demand = [...pendingDemand(pending, nodes, all)].map(([name, { amounts }]) => [
    name,
    formatAmounts(amounts).cpu,
  ]);
  expect(Object.fromEntries(demand)).toEqual(expected);
});
