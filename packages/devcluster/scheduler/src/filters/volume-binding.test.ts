import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '@slipway/kube-objects/kinds/api/volumes';
import { aNode } from '@slipway/kube-objects/testing/objects';
import { expect, test } from 'vitest';
import { demandOf } from '../demand/demand.js';
import { asking, aView, outcome } from '../testing/a-view.js';
import type { VolumeView } from '../view/cluster-view.js';
import { noVolumes } from '../view/view-of.js';
import { waitingClaims } from './volume-binding.js';

const nodes = [aNode('n1'), aNode('n2', { labels: { disk: 'ssd' } })];
const pod = asking({}, { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] });
const claim = (spec: PersistentVolumeClaim['spec'], phase: 'Pending' | 'Bound' | 'Lost', metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'data', namespace: 'default', ...metadata },
  spec,
  status: { phase },
});
const onSsd: PersistentVolume['spec'] = {
  nodeAffinity: {
    required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd'] }] }] },
  },
};
const storageClass = (volumeBindingMode: 'Immediate' | 'WaitForFirstConsumer'): StorageClass => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'c' },
  provisioner: 'example.com/disks',
  volumeBindingMode,
});

function volumes(
  one: PersistentVolumeClaim | undefined,
  spec?: PersistentVolume['spec'],
  its?: StorageClass,
): VolumeView {
  const volume = spec && { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'v' }, spec };
  return { ...noVolumes, claim: () => one, volume: () => volume, storageClass: () => its };
}

const bound = claim({ volumeName: 'v' }, 'Bound');
const pending = claim({ storageClassName: 'c' }, 'Pending');

// what | claims, volumes and classes | where the pod goes
const cases: [string, VolumeView, string][] = [
  ['no such claim', volumes(undefined), '0/2 nodes are available: persistentvolumeclaim "data" not found.'],
  ['a claim with a volume', volumes(bound, {}), 'n1'],
  ['a volume that only one node reaches', volumes(bound, onSsd), 'n2'],
  [
    'a claim without a volume',
    volumes(pending, undefined, storageClass('Immediate')),
    '0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims.',
  ],
  ['a claim that waits for its pod', volumes(pending, undefined, storageClass('WaitForFirstConsumer')), 'n1'],
  [
    'a claim that lost its volume',
    volumes(claim({ volumeName: 'v' }, 'Lost')),
    '0/2 nodes are available: persistentvolumeclaim "data" bound to non-existent persistentvolume "v".',
  ],
  [
    'a claim on its way out',
    volumes(claim({}, 'Bound', { deletionTimestamp: '2026-01-01T00:00:00Z' })),
    '0/2 nodes are available: persistentvolumeclaim "data" is being deleted.',
  ],
  [
    'a volume that is gone',
    volumes(bound),
    '0/2 nodes are available: 2 node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s).',
  ],
  [
    'a volume that no node reaches',
    volumes(bound, { nodeAffinity: { required: { nodeSelectorTerms: [] } } }),
    "0/2 nodes are available: 2 node(s) didn't match PersistentVolume's node affinity.",
  ],
];

test.each(cases)('a pod with %s', (_what, view, expected) => {
  expect(outcome(pod, aView(nodes, [], { volumes: view }))).toBe(expected);
});

test('a generic ephemeral volume waits for its claim, and takes no claim of another', () => {
  const spec = { volumes: [{ name: 'data', ephemeral: { volumeClaimTemplate: {} } }] };
  const own = { ...asking({}, spec), metadata: { namespace: 'default', name: 'p', uid: 'u' } };
  const controlled = { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u', controller: true }] };
  const outcomeWith = (one: PersistentVolumeClaim | undefined) =>
    outcome(own, aView(nodes, [], { volumes: volumes(one, {}) }));
  expect(outcomeWith(undefined)).toBe(
    '0/2 nodes are available: waiting for ephemeral volume controller to create the persistentvolumeclaim "p-data".',
  );
  expect(outcomeWith(bound)).toContain('was not created for pod default/p (pod is not owner)');
  expect(outcomeWith(claim({ volumeName: 'v' }, 'Bound', controlled))).toBe('n1');
});

test('waitingClaims() are those without a volume whose class waits for their pod', () => {
  const of = (view: VolumeView) => waitingClaims(demandOf(pod), aView(nodes, [], { volumes: view })).length;
  expect(of(volumes(pending, undefined, storageClass('WaitForFirstConsumer')))).toBe(1);
  expect(of(volumes(pending, undefined, storageClass('Immediate')))).toBe(0);
  expect(of(volumes(bound, {}, storageClass('WaitForFirstConsumer')))).toBe(0);
});
