import { aCluster } from '@slipway/devcluster/testing/a-cluster';
import type { Kube } from '@slipway/kube';
import { type Pod, pods } from '@slipway/kube-objects/kinds/api/pods';
import {
  type PersistentVolume,
  persistentVolumeClaims,
  persistentVolumes,
} from '@slipway/kube-objects/kinds/api/volumes';
import { until } from '@slipway/kube-objects/testing/until';
import { expect, test } from 'vitest';

const ref = { namespace: 'default', name: 'data' };

async function claim(kube: Kube): Promise<string> {
  await kube.resource(persistentVolumeClaims).create({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { ...ref },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  });
  return until('the claim to be bound', async () => {
    const { status, spec } = await kube.resource(persistentVolumeClaims).get(ref);
    return status?.phase === 'Bound' && spec.volumeName;
  });
}

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'default', name: 'user' },
  spec: {
    containers: [{ name: 'main', image: 'app:1' }],
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
    terminationGracePeriodSeconds: 0,
  },
} as Pod;

test('a claim that a pod has stays until the pod is gone', async () => {
  await using cluster = await aCluster();
  const { kube } = cluster;
  await claim(kube);
  await kube.resource(pods).create(pod);
  await until(
    'the pod to run',
    async () => (await kube.resource(pods).get({ namespace: 'default', name: 'user' })).status?.phase === 'Running',
  );
  await kube.resource(persistentVolumeClaims).delete(ref);
  const going = await kube.resource(persistentVolumeClaims).get(ref);
  expect(going.metadata).toMatchObject({ finalizers: ['kubernetes.io/pvc-protection'] });
  expect(going.metadata.deletionTimestamp).toBeDefined();
  await kube.resource(pods).delete({ namespace: 'default', name: 'user' });
  await until('the claim to go', async () => (await kube.resource(persistentVolumeClaims).find(ref)) === undefined);
});

test('a volume that a claim has stays until the claim is gone', async () => {
  await using cluster = await aCluster();
  const { kube } = cluster;
  const name = await claim(kube);
  await until(
    'the volume to say so',
    async () => (await kube.resource(persistentVolumes).get({ name })).status?.phase === 'Bound',
  );
  await kube.resource(persistentVolumes).delete({ name });
  const going: PersistentVolume = await kube.resource(persistentVolumes).get({ name });
  expect(going.metadata.finalizers).toEqual(['kubernetes.io/pv-protection']);
  await kube.resource(persistentVolumeClaims).delete(ref);
  await until('the volume to go', async () => (await kube.resource(persistentVolumes).find({ name })) === undefined);
});
