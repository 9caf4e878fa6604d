import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import type {
  CSINode,
  CSIStorageCapacity,
  PersistentVolume,
  PersistentVolumeClaim,
} from '@slipway/kube-objects/kinds/api/volumes';
import { versionProfiles } from '@slipway/kube-objects/rules/version-profile';
import { aNode } from '@slipway/kube-objects/testing/objects';
import { expect, test } from 'vitest';
import { aView, claiming, outcome } from '../testing/a-view.js';
import type { VolumeView } from '../view/cluster-view.js';
import { noVolumes } from '../view/view-of.js';

const driver = 'disks.example.com';
const zoneLabel = 'topology.kubernetes.io/zone';

const placed = (pod: Pod, name: string, nodeName: string): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, name, uid: name },
  spec: { ...pod.spec, nodeName },
});

/** Every claim is bound to the volume of its name, which is of the driver. */
function bound(more: Partial<VolumeView> = {}, labels: Record<string, string> = {}): VolumeView {
  const claim = (namespace: string, name: string): PersistentVolumeClaim => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace, name },
    spec: { volumeName: name },
    status: { phase: 'Bound' },
  });
  return { ...noVolumes, claim, volume: (name) => aVolume(name, labels), ...more };
}

function aVolume(name: string, labels: Record<string, string> = {}): PersistentVolume {
  const spec = { csi: { driver, volumeHandle: name } };
  return { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name, labels }, spec };
}

/** Nodes that have the driver, for so many volumes; 0 for any number. */
const limited =
  (counts: Record<string, number>): VolumeView['driversOf'] =>
  (node): CSINode['spec']['drivers'] => {
    const count = counts[node];
    return count === undefined ? [] : [{ name: driver, ...(count > 0 && { allocatable: { count } }) }];
  };

const nodes = [aNode('n1', { labels: { [zoneLabel]: 'a' } }), aNode('n2', { labels: { [zoneLabel]: 'b' } })];
const full = 'node(s) exceed max volume count';

// what | pods on the node | volumes | the pod | where it goes
const limits: [string, Pod[], VolumeView, Pod, string][] = [
  ['a node with room', [], bound({ driversOf: limited({ n1: 1 }) }), claiming('x'), 'n1'],
  ['too many for one node', [], bound({ driversOf: limited({ n1: 1 }) }), claiming('x', 'y'), full],
  ['no room beside those of others', [claiming('x')], bound({ driversOf: limited({ n1: 1 }) }), claiming('y'), full],
  ['one that is there for others', [claiming('x')], bound({ driversOf: limited({ n1: 1 }) }), claiming('x'), 'n1'],
  [
    'one that is attached though no pod has it',
    [],
    bound({ driversOf: limited({ n1: 1 }), attachedTo: () => [aVolume('z')] }),
    claiming('x'),
    full,
  ],
  ['a node without a limit', [claiming('x')], bound({ driversOf: limited({ n1: 0 }) }), claiming('y'), 'n1'],
];

test.each(limits)('volumes of a driver on a node: %s', (_what, there, volumes, pod, expected) => {
  const onN1 = there.map((one, index) => placed(one, `p${index}`, 'n1'));
  expect(outcome(pod, { ...aView(nodes.slice(0, 1), onN1), volumes })).toContain(expected);
});

test('a pod that no node has volumes left for says so', () => {
  const volumes = bound({ driversOf: limited({ n1: 1, n2: 1 }) });
  const said = outcome(claiming('x', 'y'), { ...aView(nodes), volumes });
  expect(said).toContain(`0/2 nodes are available: 2 ${full}.`);
});

test('since 1.37 a pod is kept off nodes that lack a driver which wants it so', () => {
  const wants = (preventPodSchedulingIfMissing: boolean) => () => ({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIDriver',
    metadata: { name: driver },
    spec: { preventPodSchedulingIfMissing },
  });
  const where = (wanted: boolean, profile: 'v1.36' | 'v1.37') => {
    const volumes = bound({ driversOf: limited({ n2: 0 }), driver: wants(wanted) });
    return outcome(claiming('x'), { ...aView(nodes), volumes }, versionProfiles[profile]);
  };
  expect([where(true, 'v1.37'), where(false, 'v1.37'), where(true, 'v1.36')]).toEqual(['n2', 'n1', 'n1']);
});

// labels of the volume | labels of the second node | where the pod goes
const zones: [Record<string, string>, Record<string, string>, string][] = [
  [{ [zoneLabel]: 'b' }, { [zoneLabel]: 'b' }, 'n2'],
  [{ [zoneLabel]: 'c__b' }, { [zoneLabel]: 'b' }, 'n2'],
  [{ 'failure-domain.beta.kubernetes.io/zone': 'b' }, { [zoneLabel]: 'b' }, 'n2'],
  [{ [zoneLabel]: 'b' }, {}, 'n2'],
  [{ [zoneLabel]: 'b' }, { 'topology.kubernetes.io/region': 'r' }, '2 node(s) had no available volume zone'],
  [{ [zoneLabel]: 'c' }, { [zoneLabel]: 'b' }, '2 node(s) had no available volume zone'],
];

test.each(zones)(
  'a volume with labels %j is not for every node, the second one with %j',
  (labels, second, expected) => {
    const both = [aNode('n1', { labels: { [zoneLabel]: 'a' } }), aNode('n2', { labels: second })];
    expect(outcome(claiming('x'), { ...aView(both), volumes: bound({}, labels) })).toContain(expected);
  },
);

const room = (more: Partial<CSIStorageCapacity>): CSIStorageCapacity => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSIStorageCapacity',
  metadata: { name: 'c', namespace: 'storage' },
  storageClassName: 'made',
  nodeTopology: { matchLabels: { [zoneLabel]: 'b' } },
  capacity: '10Gi',
  ...more,
});

// what the driver says | where the pod goes whose claim asks for 5Gi
const capacities: [CSIStorageCapacity[] | undefined, string][] = [
  [undefined, 'n1'],
  [[], '2 node(s) did not have enough free storage'],
  [[room({})], 'n2'],
  [[room({ capacity: '4Gi' })], '2 node(s) did not have enough free storage'],
  [[room({ maximumVolumeSize: '4Gi' })], '2 node(s) did not have enough free storage'],
  [[room({ storageClassName: 'other' })], '2 node(s) did not have enough free storage'],
  [[room({ nodeTopology: undefined as never })], '2 node(s) did not have enough free storage'],
  [[room({ capacity: '4Gi' }), room({ nodeTopology: {} })], 'n1'],
];

test.each(capacities)('a volume is made where its driver has room: %j', (all, expected) => {
  const volumes: VolumeView = {
    ...noVolumes,
    claim: (namespace, name) => ({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { namespace, name },
      spec: { storageClassName: 'made', resources: { requests: { storage: '5Gi' } } },
      status: { phase: 'Pending' },
    }),
    storageClass: () => ({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'made' },
      provisioner: driver,
      volumeBindingMode: 'WaitForFirstConsumer',
    }),
    driver: () => ({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIDriver',
      metadata: { name: driver },
      spec: { storageCapacity: all !== undefined },
    }),
    capacities: () => all ?? [],
  };
  expect(outcome(claiming('x'), { ...aView(nodes), volumes })).toContain(expected);
});
