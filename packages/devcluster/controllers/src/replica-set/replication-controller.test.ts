import { aCluster } from '@slipway/devcluster/testing/a-cluster';
import { pods } from '@slipway/kube-objects/kinds/api/pods';
import { type ReplicationController, replicationControllers } from '@slipway/kube-objects/kinds/api/workloads';
import { aPod, aTemplate } from '@slipway/kube-objects/testing/objects';
import { until } from '@slipway/kube-objects/testing/until';
import { expect, test } from 'vitest';

test('a ReplicationController takes over the pods that it selects, makes the others, and gives up those too many', async () => {
  await using cluster = await aCluster({ nodes: 1 });
  const { kube } = cluster;
  const ref = { namespace: 'default', name: 'old' };
  const { metadata, spec } = aPod('found');
  const found = { namespace: 'default', name: 'found', labels: metadata.labels ?? {} };
  await kube.resource(pods).create({ apiVersion: 'v1', kind: 'Pod', metadata: found, spec });
  const controller = { replicas: 3, selector: { app: 'a' }, template: aTemplate() };
  const object = { apiVersion: 'v1', kind: 'ReplicationController', metadata: ref, spec: controller };
  await kube.resource(replicationControllers).create(object as ReplicationController);

  const ready = (count: number) =>
    until(`${count} pods`, async () => {
      const { status } = await kube.resource(replicationControllers).get(ref);
      return status?.readyReplicas === count && status.replicas === count && status;
    });
  expect(await ready(3)).toMatchObject({ fullyLabeledReplicas: 3, availableReplicas: 3, observedGeneration: 1 });
  const owners = (await kube.resource(pods).list()).items.map((pod) => pod.metadata.ownerReferences?.[0]);
  expect(owners).toEqual(
    Array(3).fill(expect.objectContaining({ apiVersion: 'v1', kind: 'ReplicationController', name: 'old' })),
  );
  await kube.resource(replicationControllers).merge(ref, { spec: { replicas: 1 } });
  await ready(1);
});
