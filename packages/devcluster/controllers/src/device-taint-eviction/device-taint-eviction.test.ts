import { type AClusterOptions, aCluster } from '@slipway/devcluster/testing/a-cluster';
import { Events, type Kube } from '@slipway/kube';
import { ManualClock } from '@slipway/kube/testing';
import { deviceClasses, deviceTaintRules, resourceSlices } from '@slipway/kube-objects/kinds/api/devices';
import { podCondition, pods } from '@slipway/kube-objects/kinds/api/pods';
import { resourceClaims } from '@slipway/kube-objects/kinds/api/resource-claims';
import { versionProfiles } from '@slipway/kube-objects/rules/version-profile';
import { until } from '@slipway/kube-objects/testing/until';
import { expect, test } from 'vitest';

const namespace = 'default';
const driver = 'gpu.example.com';
const apiVersion = 'resource.k8s.io/v1';

/** A pod with a claim for a device, both of this name. */
async function aPodWithDevice(kube: Kube, name: string): Promise<void> {
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
}

/** Two pods that run, `one` with the device `a` and `two` with `b`. */
async function setUp(options: AClusterOptions = {}) {
  const cluster = await aCluster({ nodes: 1, ...options });
  const { kube } = cluster;
  await kube.resource(deviceClasses).create({ apiVersion, kind: 'DeviceClass', metadata: { name: 'gpu' }, spec: {} });
  const pool = { name: 'n1', generation: 1, resourceSliceCount: 1 };
  const devices = [{ name: 'a' }, { name: 'b' }];
  const metadata = { name: 'n1' };
  await kube
    .resource(resourceSlices)
    .create({ apiVersion, kind: 'ResourceSlice', metadata, spec: { driver, nodeName: 'n1', pool, devices } });
  for (const name of ['one', 'two']) {
    await aPodWithDevice(kube, name);
    const get = () => kube.resource(pods).get({ namespace, name });
    await until(`${name} to run`, async () => (await get()).status?.phase === 'Running');
  }
  return cluster;
}

test('deviceTaintEvictionControllers() delete the pods of a device that gets a NoExecute taint, and say why', async () => {
  await using cluster = await setUp();
  const { kube } = cluster;
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

test('deviceTaintEvictionControllers() say what a DeviceTaintRule would do, and how far it is', async () => {
  const clock = new ManualClock();
  await using cluster = await setUp({ clock, profile: versionProfiles['v1.37'] });
  const { kube } = cluster;
  const rules = kube.resource(deviceTaintRules);
  const taint = { key: 'maintenance', effect: 'None' } as const;
  const spec = { deviceSelector: { driver, device: 'a' }, taint };
  await rules.create({ apiVersion, kind: 'DeviceTaintRule', metadata: { name: 'service' }, spec });
  const condition = async () => (await rules.get({ name: 'service' })).status?.conditions?.[0];
  const said = (reason: string) =>
    until(`the rule to say ${reason}`, async () => {
      await clock.advance(1_000);
      const found = await condition();
      return found?.reason === reason && found;
    });
  expect(await said('NoEffect')).toMatchObject({
    type: 'EvictionInProgress',
    status: 'False',
    observedGeneration: 1,
    message:
      '1 published device selected. 1 allocated device selected. 1 pod would be evicted in 1 namespace if the effect was NoExecute. This information will not be updated again. Recreate the DeviceTaintRule to trigger an update.',
  });
  await rules.merge({ name: 'service' }, { spec: { taint: { effect: 'NoExecute' } } });
  expect(await said('PodsPendingEviction')).toMatchObject({
    status: 'True',
    observedGeneration: 2,
    message: '1 pod needs to be evicted in 1 namespace.',
  });
  await until('the pod to be deleted', async () => {
    return (await kube.resource(pods).get({ namespace, name: 'one' })).metadata.deletionTimestamp !== undefined;
  });
  expect(await said('Completed')).toMatchObject({
    status: 'False',
    message: '1 pod evicted since starting the controller.',
  });
  expect((await kube.resource(pods).get({ namespace, name: 'two' })).metadata.deletionTimestamp).toBeUndefined();

  await rules.merge({ name: 'service' }, { spec: { taint: { effect: 'NoSchedule' } } });
  expect(await said('OtherEffect')).toMatchObject({
    message: 'Eviction only happens for the NoExecute effect. 1 pod evicted since starting the controller.',
  });
});

test('a device that a DeviceTaintRule taints is given to no claim until the rule is gone', async () => {
  await using cluster = await aCluster({ nodes: 1, profile: versionProfiles['v1.37'] });
  const { kube } = cluster;
  await kube.resource(deviceClasses).create({ apiVersion, kind: 'DeviceClass', metadata: { name: 'gpu' }, spec: {} });
  const pool = { name: 'n1', generation: 1, resourceSliceCount: 1 };
  const spec = { driver, nodeName: 'n1', pool, devices: [{ name: 'a' }] };
  await kube.resource(resourceSlices).create({ apiVersion, kind: 'ResourceSlice', metadata: { name: 'n1' }, spec });
  const taint = { key: 'maintenance', effect: 'NoSchedule' } as const;
  await kube.resource(deviceTaintRules).create({
    apiVersion,
    kind: 'DeviceTaintRule',
    metadata: { name: 'service' },
    spec: { deviceSelector: { pool: 'n1' }, taint },
  });
  await aPodWithDevice(kube, 'one');
  const get = () => kube.resource(pods).get({ namespace, name: 'one' });
  const why = await until('a reason', async () => podCondition(await get(), 'PodScheduled')?.message);
  expect(why).toContain('cannot allocate all claims');
  await kube.resource(deviceTaintRules).delete({ name: 'service' });
  await until('the pod to run', async () => (await get()).status?.phase === 'Running');
});
