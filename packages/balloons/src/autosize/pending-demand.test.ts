import type { KubeObject } from '@slipway/kube';
import { expect, test } from 'vitest';
import { readNode, type Taint } from '../nodes/node-view.js';
import { formatAmounts, parseAmounts } from '../planner/amounts.js';
import { type GrowingNode, pendingDemand } from './pending-demand.js';

function node(
  name: string,
  cpu: number,
  more: { labels?: Record<string, string>; taints?: Taint[] } = {},
): GrowingNode {
  const { labels = {}, taints = [] } = more;
  const view = readNode({ apiVersion: 'v1', kind: 'Node', metadata: { name, labels }, spec: { taints } });
  return { node: view, requested: parseAmounts({ cpu: 1 }), most: parseAmounts({ cpu, memory: '64Gi' }) };
}

function pod(cpu: number, spec: object = {}, message = '0/2 nodes are available: 2 Insufficient cpu.'): KubeObject {
  const containers = [{ name: 'c', resources: { requests: { cpu: String(cpu) } } }];
  const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }];
  return { apiVersion: 'v1', kind: 'Pod', metadata: {}, spec: { containers, ...spec }, status: { conditions } };
}

const taint = (key: string): Taint => ({ key, effect: 'NoSchedule' });

test.each<[string, readonly KubeObject[], readonly GrowingNode[], Record<string, string>]>([
  ['the fullest node that can grow enough', [pod(2)], [node('a', 8), node('b', 4)], { b: '2' }],
  ['a larger node when it must', [pod(4)], [node('a', 8), node('b', 4)], { a: '4' }],
  ['nobody when none is large enough', [pod(9)], [node('a', 8)], {}],
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
  ['nobody for what size does not help', [pod(2, {}, 'node(s) had untolerated taint')], [node('a', 8)], {}],
])('pendingDemand() gives a pod to %s', (_, pods, nodes, expected) => {
  const demand = [...pendingDemand(pods, nodes)].map(([name, amounts]) => [name, formatAmounts(amounts).cpu]);
  expect(Object.fromEntries(demand)).toEqual(expected);
});
