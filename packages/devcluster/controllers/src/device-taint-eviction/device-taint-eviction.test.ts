import { aCluster } from '@slipway/devcluster/testing/a-cluster';
import { Events } from '@slipway/kube';
import { deviceClasses, resourceSlices } from '@slipway/kube-objects/kinds/api/devices';
import { podCondition, pods } from '@slipway/kube-objects/kinds/api/pods';
import { resourceClaims } from '@slipway/kube-objects/kinds/api/resource-claims';
import { until } from '@slipway/kube-objects/testing/until';
import { expect, test } from 'vitest';

const namespace = 'default';
const driver = 'gpu.example.com';
const apiVersion = 'resource.k8s.io/v1';

test('deviceTaintEvictionController() deletes the pods of a device that gets a NoExecute taint, and says why', async () => {
  await using cluster = await aCluster({ nodes: 1 });
  const { kube } = cluster;
  await kube.resource(deviceClasses).create({ apiVersion, kind: 'DeviceClass', metadata: { name: 'gpu' }, spec: {} });
  const pool = { name: 'n1', generation: 1, resourceSliceCount: 1 };
  const devices = [{ name: 'a' }, { name: 'b' }];
  const metadata = { name: 'n1' };
  await kube
    .resource(resourceSlices)
    .create({ apiVersion, kind: 'ResourceSlice', metadata, spec: { driver, nodeName: 'n1', pool, devices } });
  for (const name of ['one', 'two']) {
    const requests = [{ name: 'r', exactly: { deviceClassName: 'gpu' } }];
    const spec = { devices: { requests } };
    await kube
      .resource(resourceClaims)
      .create({ apiVersion, kind: 'ResourceClaim', metadata: { namespace, name }, spec });
    await kube.resource(pods).create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace, name, finalizers: ['example.com/seen'] },
      spec: {
        containers: [{ name: 'main', image: 'image' }],
        resourceClaims: [{ name: 'gpu', resourceClaimName: name }],
      },
    });
    const get = () => kube.resource(pods).get({ namespace, name });
    await until(`${name} to run`, async () => (await get()).status?.phase === 'Running');
  }
  const taints = [{ key: 'broken', effect: 'NoExecute' }];
  await kube
    .resource(resourceSlices)
    .merge({ name: 'n1' }, { spec: { devices: [{ name: 'a', taints }, { name: 'b' }] } });
  const evicted = await until('the pod to be deleted', async () => {
    const pod = await kube.resource(pods).get({ namespace, name: 'one' });
    return pod.metadata.deletionTimestamp !== undefined && pod;
  });
  expect(podCondition(evicted, 'DisruptionTarget')).toMatchObject({
    status: 'True',
    reason: 'DeletionByDeviceTaintManager',
    message: 'Device Taint manager: deleting due to NoExecute taint',
  });
  const event = await until('the event', async () =>
    (await kube.resource(Events).list()).items.find(({ reason }) => reason === 'DeviceTaintManagerEviction'),
  );
  expect(event.message).toBe('Marking for deletion');
  expect((await kube.resource(pods).get({ namespace, name: 'two' })).metadata.deletionTimestamp).toBeUndefined();
});
