import { aCluster } from '@slipway/devcluster/testing/a-cluster';
import { Events, type KubeObject } from '@slipway/kube';
import { pods } from '@slipway/kube-objects/kinds/api/pods';
import { persistentVolumeClaims } from '@slipway/kube-objects/kinds/api/volumes';
import { until } from '@slipway/kube-objects/testing/until';
import { expect, test } from 'vitest';

const namespace = 'default';
const scratch = {
  metadata: { labels: { app: 'web' }, annotations: { 'example.com/why': 'scratch' } },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};
const pod = (name: string): KubeObject & { spec: { containers: [] } } => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace, name },
  spec: {
    containers: [{ name: 'main', image: 'image' }] as never,
    volumes: [{ name: 'scratch', ephemeral: { volumeClaimTemplate: scratch } }],
  } as never,
});

test('the claim of a generic ephemeral volume is made for its pod, which then runs; it goes with the pod', async () => {
  await using cluster = await aCluster({ nodes: 1 });
  const { kube } = cluster;
  const claims = kube.resource(persistentVolumeClaims);
  const made = await kube.resource(pods).create(pod('web'));
  const claim = await until('the claim', () => claims.find({ namespace, name: 'web-scratch' }));
  expect(claim.metadata).toMatchObject({
    ...scratch.metadata,
    ownerReferences: [
      {
        apiVersion: 'v1',
        kind: 'Pod',
        name: 'web',
        uid: made.metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
  });
  expect(claim.spec).toMatchObject(scratch.spec);
  await until('the pod to run', async () => {
    const { status } = await kube.resource(pods).get({ namespace, name: 'web' });
    return status?.phase === 'Running';
  });
  await kube.resource(pods).delete({ namespace, name: 'web' });
  await until('the claim to go', async () => (await claims.find({ namespace, name: 'web-scratch' })) === undefined);
});

test('a claim of that name that is not the pod’s own is left alone, and the pod waits and says why', async () => {
  await using cluster = await aCluster({ nodes: 1 });
  const { kube } = cluster;
  const claims = kube.resource(persistentVolumeClaims);
  const own = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { namespace, name: 'web-scratch' } };
  await claims.create({ ...own, spec: scratch.spec });
  await kube.resource(pods).create(pod('web'));
  const problem = 'PVC default/web-scratch was not created for pod default/web (pod is not owner)';
  const waiting = await until('the pod to say why', async () => {
    const { status } = await kube.resource(pods).get({ namespace, name: 'web' });
    return status?.conditions?.find(({ reason }) => reason === 'Unschedulable');
  });
  expect(waiting.message).toContain(problem);
  const event = await until('the event', async () =>
    (await kube.resource(Events).list()).items.find(({ reason }) => reason === 'FailedBinding'),
  );
  expect(event).toMatchObject({
    message: `ephemeral volume scratch: ${problem}`,
    source: { component: 'ephemeral_volume' },
  });
  expect((await claims.get({ namespace, name: 'web-scratch' })).metadata).not.toHaveProperty('ownerReferences');
});
