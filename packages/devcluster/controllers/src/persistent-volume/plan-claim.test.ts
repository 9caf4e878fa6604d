import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '@slipway/kube-objects/kinds/api/volumes';
import { bindCompleted } from '@slipway/kube-objects/rules/match-volume';
import { selectedNode } from '@slipway/kube-objects/rules/well-known';
import { expect, test } from 'vitest';
import { ourProvisioner, planClaim } from './plan-claim.js';
import { boundStatus, planVolume, provisionedBy } from './plan-volume.js';

function aClaim(spec: Partial<PersistentVolumeClaim['spec']> = {}, annotations: Record<string, string> = {}) {
  const resources = { requests: { storage: '5Gi' } };
  const claim: PersistentVolumeClaim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data', namespace: 'default', uid: 'u1', annotations },
    spec: { accessModes: ['ReadWriteOnce'], resources, ...spec },
    status: { phase: 'Pending' },
  };
  return claim;
}

function aVolume(name: string, spec: Partial<PersistentVolume['spec']> = {}, metadata: object = {}): PersistentVolume {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, ...metadata },
    spec: { capacity: { storage: '5Gi' }, accessModes: ['ReadWriteOnce', 'ReadOnlyMany'], ...spec },
    status: { phase: spec.claimRef?.uid ? 'Bound' : 'Available' },
  };
}

const aClass = (more: Partial<StorageClass> = {}): StorageClass => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'fast' },
  provisioner: ourProvisioner,
  ...more,
});
const mine = { name: 'data', namespace: 'default', uid: 'u1' };
const fast = { storageClassName: 'fast' };
const waits = aClass({ volumeBindingMode: 'WaitForFirstConsumer' });

const told = (...args: Parameters<typeof planClaim>) => {
  const plan = planClaim(...args);
  if (plan.kind === 'bind') return `bind ${plan.volume.metadata.name}`;
  return plan.kind === 'wait' ? plan.reason : plan.kind;
};

// what | claim | volumes | class | plan
const cases: [string, PersistentVolumeClaim, readonly PersistentVolume[], StorageClass | undefined, string][] = [
  ['no volume and no class', aClaim(), [], undefined, 'FailedBinding'],
  ['a volume that is free', aClaim(), [aVolume('v')], undefined, 'bind v'],
  [
    'the smallest that is large enough',
    aClaim(),
    ['9Gi', '4Gi', '6Gi'].map((storage) => aVolume(storage, { capacity: { storage } })),
    undefined,
    'bind 6Gi',
  ],
  ['another access mode', aClaim({ accessModes: ['ReadWriteMany'] }), [aVolume('v')], undefined, 'FailedBinding'],
  ['another class', aClaim(fast), [aVolume('v')], aClass(), 'provision'],
  ['another volume mode', aClaim({ volumeMode: 'Block' }), [aVolume('v')], undefined, 'FailedBinding'],
  [
    'a selector',
    aClaim({ selector: { matchLabels: { a: 'b' } } }),
    [aVolume('v'), aVolume('w', {}, { labels: { a: 'b' } })],
    undefined,
    'bind w',
  ],
  [
    'a volume of another claim',
    aClaim(),
    [aVolume('v', { claimRef: { ...mine, uid: 'u2' } })],
    undefined,
    'FailedBinding',
  ],
  [
    'a volume kept for it',
    aClaim(),
    [aVolume('v'), aVolume('w', { claimRef: { name: 'data', namespace: 'default' } })],
    undefined,
    'bind w',
  ],
  ['a volume it was bound to before that was noted', aClaim(), [aVolume('v', { claimRef: mine })], undefined, 'bind v'],
  [
    'a volume on its way out',
    aClaim(),
    [aVolume('v', {}, { deletionTimestamp: '2026-01-01T00:00:00Z' })],
    undefined,
    'FailedBinding',
  ],
  ['the volume that it names', aClaim({ volumeName: 'w' }), [aVolume('v'), aVolume('w')], undefined, 'bind w'],
  ['a volume that it names and that is not there', aClaim({ volumeName: 'w' }), [], undefined, 'FailedBinding'],
  ['a volume that it had', aClaim({ volumeName: 'w' }, { [bindCompleted]: 'yes' }), [], undefined, 'lose'],
  [
    'a volume that it names and another has',
    aClaim({ volumeName: 'w' }),
    [aVolume('w', { claimRef: { ...mine, uid: 'u2' } })],
    undefined,
    'FailedBinding',
  ],
  ['a class of ours', aClaim(fast), [], aClass(), 'provision'],
  ['a class of others', aClaim(fast), [], aClass({ provisioner: 'example.com/disks' }), 'delegate'],
  ['a class that is not there', aClaim(fast), [], undefined, 'ProvisioningFailed'],
  ['a class that waits for a pod', aClaim(fast), [], waits, 'WaitForFirstConsumer'],
  ['a class that waited for a pod', aClaim(fast, { [selectedNode]: 'n1' }), [], waits, 'provision'],
];

test.each(cases)('planClaim() with %s', (_what, claim, volumes, storageClass, expected) => {
  expect(told(claim, volumes, storageClass)).toBe(expected);
});

const made = { annotations: { [provisionedBy]: ourProvisioner } };
const goes = { persistentVolumeReclaimPolicy: 'Delete' as const };

// what | volume | its claim | phase and whether it goes
const volumes: [string, PersistentVolume, PersistentVolumeClaim | undefined, string][] = [
  ['is unclaimed', aVolume('v'), undefined, 'Available'],
  ['is reserved for a future claim', aVolume('v', { claimRef: { name: 'data' } }), undefined, 'Available'],
  ['a claim has', aVolume('v', { claimRef: mine }), aClaim({ volumeName: 'v' }), 'Bound'],
  ['a claim is about to have', aVolume('v', { claimRef: mine }), aClaim(), 'Bound'],
  ['a claim had', aVolume('v', { claimRef: mine }), undefined, 'Released'],
  [
    'was made for a claim that chose another',
    aVolume('v', { claimRef: mine, ...goes }, made),
    aClaim({ volumeName: 'w' }),
    'Released, goes',
  ],
  ['was made for a claim that is gone', aVolume('v', { claimRef: mine, ...goes }, made), undefined, 'Released, goes'],
  ['a user created', aVolume('v', { claimRef: mine, ...goes }), undefined, 'Released'],
  [
    'is to be kept',
    aVolume('v', { claimRef: mine, persistentVolumeReclaimPolicy: 'Retain' }, made),
    undefined,
    'Released',
  ],
];

test.each(volumes)('planVolume() of one that %s', (_what, volume, claim, expected) => {
  const { phase, isDeleted } = planVolume(volume, claim);
  expect(isDeleted ? `${phase}, goes` : phase).toBe(expected);
});

const bound = (storage: string): PersistentVolumeClaim => ({
  ...aClaim({ volumeName: 'v' }),
  status: { phase: 'Bound', capacity: { storage } },
});

// what | claim | volume | the size that is written
const sizes: [string, PersistentVolumeClaim, PersistentVolume, string | undefined][] = [
  ['gets a volume of others', aClaim(), aVolume('v'), '5Gi'],
  ['gets a volume of ours', aClaim(), aVolume('v', {}, made), '5Gi'],
  ['has a volume of others that grew', bound('4Gi'), aVolume('v'), undefined],
  ['has a volume of ours that grew', bound('4Gi'), aVolume('v', {}, made), '5Gi'],
];

test.each(sizes)('boundStatus() of a claim that %s', (_what, claim, volume, expected) => {
  expect(boundStatus(claim, volume).capacity?.storage).toBe(expected);
});
