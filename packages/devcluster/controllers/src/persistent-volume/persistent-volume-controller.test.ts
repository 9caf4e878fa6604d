import { aCluster } from '@slipway/devcluster/testing/a-cluster';
import type { Kube } from '@slipway/kube';
import { type Pod, pods } from '@slipway/kube-objects/kinds/api/pods';
import {
  type PersistentVolume,
  type PersistentVolumeClaim,
  persistentVolumeClaims,
  persistentVolumes,
  type StorageClass,
  storageClasses,
} from '@slipway/kube-objects/kinds/api/volumes';
import { referenceTo } from '@slipway/kube-objects/rules/match-volume';
import { until } from '@slipway/kube-objects/testing/until';
import { expect, test } from 'vitest';
import { growth } from './plan-volume.js';

const ref = { namespace: 'default', name: 'data' };

async function claim(kube: Kube, spec: Partial<PersistentVolumeClaim['spec']> = {}): Promise<void> {
  const asked = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec };
  const object = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { ...ref }, spec: asked };
  await kube.resource(persistentVolumeClaims).create(object);
}

const isBound = (kube: Kube) =>
  until('the claim to be bound', async () => {
    const found = await kube.resource(persistentVolumeClaims).get(ref);
    return found.status?.phase === 'Bound' && found;
  });

/** A pod that uses the claim. */
const user: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'default', name: 'p' },
  spec: {
    containers: [{ name: 'main', image: 'image' }],
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
  },
};

/** Deletes the claim, and waits until its volume is free of it. */
async function release(kube: Kube): Promise<void> {
  await kube.resource(persistentVolumeClaims).delete(ref);
  await until('the volume to be released', async () => {
    const { status } = await kube.resource(persistentVolumes).get({ name: 'disk' });
    return status?.phase === 'Released';
  });
}

/** A class of our volumes. */
const aClass = (name: string, more: Partial<StorageClass>): StorageClass => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name },
  provisioner: 'sim.slipway.dev/volumes',
  ...more,
});

test('a claim that says nothing special gets a volume at once, which goes with it', async () => {
  await using cluster = await aCluster();
  const { kube } = cluster;
  await claim(kube);
  const bound = await isBound(kube);
  expect(bound.spec).toMatchObject({ storageClassName: 'standard', volumeName: `pvc-${bound.metadata.uid}` });
  expect(bound.status).toMatchObject({ capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] });
  const volume = await until('the volume to say so', async () => {
    const found = await kube.resource(persistentVolumes).get({ name: bound.spec.volumeName ?? '' });
    return found.status?.phase === 'Bound' && found;
  });
  expect(volume.spec).toMatchObject({ persistentVolumeReclaimPolicy: 'Delete', claimRef: { name: 'data' } });
  await kube.resource(persistentVolumeClaims).delete(ref);
  await until('the volume to go', async () => (await kube.resource(persistentVolumes).list()).items.length === 0);
});

test('a claim takes a volume that a user created, and leaves it behind when it is deleted', async () => {
  await using cluster = await aCluster();
  const { kube } = cluster;
  const spec = { capacity: { storage: '2Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/data' } };
  const volume = { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'disk' }, spec };
  await kube.resource(persistentVolumes).create(volume as PersistentVolume);
  await claim(kube, { storageClassName: '' });
  expect((await isBound(kube)).spec.volumeName).toBe('disk');
  await release(kube);
});

test('a class may wait for the first pod of a claim; the pod and its volume then find each other', async () => {
  await using cluster = await aCluster({ nodes: 1 });
  const { kube } = cluster;
  const late = aClass('late', { volumeBindingMode: 'WaitForFirstConsumer' });
  await kube.resource(storageClasses).create(late);
  await claim(kube, { storageClassName: 'late' });
  await kube.resource(pods).create(user);
  const bound = await isBound(kube);
  expect(bound.metadata.annotations?.['volume.kubernetes.io/selected-node']).toBe('n1');
});

test('a claim of a class of others names its provisioner, and is bound to what that makes', async () => {
  await using cluster = await aCluster();
  const { kube } = cluster;
  const provisioner = 'disks.example';
  await kube.resource(storageClasses).create(aClass('theirs', { provisioner }));
  await claim(kube, { storageClassName: 'theirs' });
  const named = await until('the claim to name it', async () => {
    const found = await kube.resource(persistentVolumeClaims).get(ref);
    return found.metadata.annotations?.['volume.kubernetes.io/storage-provisioner'] !== undefined && found;
  });
  expect(named.metadata.annotations).toEqual({
    'volume.kubernetes.io/storage-provisioner': provisioner,
    'volume.beta.kubernetes.io/storage-provisioner': provisioner,
  });
  await kube.resource(persistentVolumes).create({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'disk', annotations: { 'pv.kubernetes.io/provisioned-by': provisioner } },
    spec: {
      capacity: { storage: '2Gi' },
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'theirs',
      persistentVolumeReclaimPolicy: 'Delete',
      claimRef: referenceTo(named),
      csi: { driver: provisioner, volumeHandle: 'disk' },
    },
  });
  expect((await isBound(kube)).status?.capacity).toEqual({ storage: '2Gi' });
  await release(kube);
});

test('a pod waits for its claim', async () => {
  await using cluster = await aCluster({ nodes: 1 });
  const { kube } = cluster;
  await kube.resource(pods).create(user);
  const message = await until(
    'it to say so',
    async () =>
      (await kube.resource(pods).get({ namespace: 'default', name: 'p' })).status?.conditions?.find(
        (each) => each.message,
      )?.message,
  );
  expect(message).toBe('0/1 nodes are available: persistentvolumeclaim "data" not found. not found');
  await claim(kube);
  await until(
    'it to run',
    async () => (await kube.resource(pods).get({ namespace: 'default', name: 'p' })).spec.nodeName,
  );
});

test('a claim grows with its volume, where its class lets it', async () => {
  await using cluster = await aCluster({ nodes: 1 });
  const { kube } = cluster;
  const elastic = aClass('elastic', { allowVolumeExpansion: true });
  await kube.resource(storageClasses).create(elastic);
  await claim(kube, { storageClassName: 'elastic' });
  const { spec } = await isBound(kube);
  await kube.resource(persistentVolumeClaims).merge(ref, { spec: { resources: { requests: { storage: '3Gi' } } } });
  await until('the claim to have it', async () => {
    const { status } = await kube.resource(persistentVolumeClaims).get(ref);
    return status?.capacity?.storage === '3Gi';
  });
  const volume = await kube.resource(persistentVolumes).get({ name: spec.volumeName ?? '' });
  expect(volume.spec.capacity).toEqual({ storage: '3Gi' });
  expect(growth(volume, await kube.resource(persistentVolumeClaims).get(ref), elastic)).toBeUndefined();
  const asking = { ...volume, spec: { ...volume.spec, capacity: { storage: '1Gi' } } };
  const wanting = await kube.resource(persistentVolumeClaims).get(ref);
  expect(growth(asking, wanting, elastic)).toBe('3Gi');
  expect(growth(asking, wanting, { ...elastic, allowVolumeExpansion: false })).toBeUndefined();
});
