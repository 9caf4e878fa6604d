import type { Node } from '@slipway/kube-objects/kinds/api/nodes';
import type { Pod, PodSpec } from '@slipway/kube-objects/kinds/api/pods';
import { collide, type HostPort } from '@slipway/kube-objects/rules/host-ports';
import { aNode, aPod } from '@slipway/kube-objects/testing/objects';
import { expect, test } from 'vitest';
import { admissionFailures, type Occupied, rejection } from './pod-admission.js';

const allocatable = { cpu: '4', memory: '8Gi', 'ephemeral-storage': '10Gi', pods: '110' };
const node = aNode('n1', { allocatable });
const asking = (requests: Record<string, string>, spec: Partial<PodSpec> = {}) =>
  aPod('p', { spec: { containers: [{ name: 'main', image: 'image', resources: { requests } }], ...spec } });
const used = (amounts: Record<string, number>, ...hostPorts: HostPort[]): Occupied => ({
  amounts: new Map(Object.entries(amounts)),
  hasPort: (port) => hostPorts.some((taken) => collide(taken, port)),
});
const gibi = 1024 ** 3;
const short = (resource: string, requested: number, taken: number, capacity: number) =>
  `OutOf${resource}: Node didn't have enough resource: ${resource}, ` +
  `requested: ${requested}, used: ${taken}, capacity: ${capacity}`;
const tainted = aNode('n1', { allocatable, spec: { taints: [{ key: 'k', effect: 'NoExecute' }] } });
const onPort = { containers: [{ name: 'main', ports: [{ containerPort: 80, hostPort: 80 }] }] };
const affinity = "NodeAffinity: Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector";

// K1: "fit = sum allocated(others) + request(pod) <= status.allocatable for cpu, memory, ephemeral-storage, pods";
// "first failing, that order: pods, cpu, memory, storage". what | pod | node | beside it | why not
const cases: [string, Pod, Node, Occupied, string | undefined][] = [
  ['what just fits', asking({ cpu: '1', memory: '8Gi' }), node, used({ cpu: 3000 }), undefined],
  ['too much cpu', asking({ cpu: '1500m' }), node, used({ cpu: 3000 }), short('cpu', 1500, 3000, 4000)],
  ['too much memory', asking({ memory: '9Gi' }), node, used({}), short('memory', 9 * gibi, 0, 8 * gibi)],
  [
    'too much storage',
    asking({ 'ephemeral-storage': '11Gi' }),
    node,
    used({}),
    short('ephemeral-storage', 11 * gibi, 0, 10 * gibi),
  ],
  ['one pod too many', asking({ cpu: '5' }), node, used({ pods: 110 }), short('pods', 1, 110, 110)],
  ['cpu and memory', asking({ memory: '9Gi', cpu: '5' }), node, used({}), short('cpu', 5000, 0, 4000)],
  ['nothing of what is overspent', asking({}), node, used({ cpu: 9000 }), undefined],
  ['a device that the node does not know of', asking({ 'example.com/gpu': '1' }), node, used({}), undefined],
  [
    'a device that is taken',
    asking({ 'example.com/gpu': '1' }),
    aNode('n1', { allocatable: { ...allocatable, 'example.com/gpu': '1' } }),
    used({ 'example.com/gpu': 1 }),
    short('example.com/gpu', 1, 1, 1),
  ],
  ['another node', asking({}, { nodeSelector: { disk: 'ssd' } }), node, used({}), affinity],
  [
    'too much, for another node',
    asking({ cpu: '5' }, { nodeSelector: { disk: 'ssd' } }),
    node,
    used({}),
    short('cpu', 5000, 0, 4000),
  ],
  [
    'a port that is taken at another address and for another protocol',
    asking({}, { containers: [{ name: 'main', ports: [{ containerPort: 80, hostPort: 80, hostIP: '10.0.0.2' }] }] }),
    node,
    used({}, { address: '10.0.0.1', protocol: 'TCP', port: 80 }, { address: '0.0.0.0', protocol: 'UDP', port: 80 }),
    undefined,
  ],
  [
    'a port that is taken',
    asking({}, onPort),
    node,
    used({}, { address: '10.0.0.1', protocol: 'TCP', port: 80 }),
    "NodePorts: Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
  ],
  [
    'a taint',
    asking({}),
    tainted,
    used({}),
    "TaintToleration: Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate",
  ],
  ['a taint that is tolerated', asking({}, { tolerations: [{ operator: 'Exists' }] }), tainted, used({}), undefined],
];

test.each(cases)('admissionFailures() of a pod that asks for %s', (_what, pod, on, beside, why) => {
  const [first] = admissionFailures(pod, on, beside);
  const { reason, message } = first ? rejection(first) : {};
  expect(first && `${reason}: ${message}`).toBe(why);
});
