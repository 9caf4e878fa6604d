import { aCluster } from '@slipway/devcluster/testing/a-cluster';
import { Events, type Kube } from '@slipway/kube';
import { ManualClock } from '@slipway/kube/testing';
import { type Device, deviceClasses, resourceSlices } from '@slipway/kube-objects/kinds/api/devices';
import { type Pod, type PodResourceClaim, podCondition, pods } from '@slipway/kube-objects/kinds/api/pods';
import { resourceClaims, resourceClaimTemplates } from '@slipway/kube-objects/kinds/api/resource-claims';
import { claimDeleteProtection } from '@slipway/kube-objects/rules/pod-resource-claims';
import { versionProfiles } from '@slipway/kube-objects/rules/version-profile';
import { until } from '@slipway/kube-objects/testing/until';
import { expect, test } from 'vitest';
import { aDeviceClass, aSlice, asks, driver } from './testing/devices.js';
import { at, nodeOf, says } from './testing/placed-pods.js';

const named = (...names: string[]): Device[] => names.map((name) => ({ name }));
const shared = { name: 'gpu', resourceClaimName: 'shared' };
const own = { name: 'gpu', resourceClaimTemplateName: 'one' };
const nothing = '0/2 nodes are available: 2 cannot allocate all claims.';

function aPod(name: string, ...claims: readonly PodResourceClaim[]): Pod {
  const containers = [{ name: 'main', image: 'image' }];
  return { apiVersion: 'v1', kind: 'Pod', metadata: at(name), spec: { containers, resourceClaims: claims } };
}

const makeClass = (kube: Kube) => kube.resource(deviceClasses).create(aDeviceClass('gpu'));
const makeSlice = (kube: Kube, nodeName: string, ...names: string[]) =>
  kube.resource(resourceSlices).create(aSlice(nodeName, named(...names), { nodeName }));
const makePod = (kube: Kube, name: string, ...claims: readonly PodResourceClaim[]) =>
  kube.resource(pods).create(aPod(name, ...claims));
const makeClaim = (kube: Kube, name = 'shared', requests = [asks('r')]) =>
  kube.resource(resourceClaims).create({
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaim',
    metadata: at(name),
    spec: { devices: { requests } },
  });
const makeTemplate = (kube: Kube) =>
  kube.resource(resourceClaimTemplates).create({
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaimTemplate',
    metadata: at('one'),
    spec: { spec: { devices: { requests: [asks('r')] } } },
  });

test('Scheduler allocates a device for the claim of a pod, reserves it, and puts the pod on its node', async () => {
  await using cluster = await aCluster();
  const { kube } = cluster;
  await makeClass(kube);
  await makeTemplate(kube);
  await makeSlice(kube, 'n2', 'a');
  const { metadata } = await makePod(kube, 'p', own);
  expect(await nodeOf(kube, 'p')).toBe('n2');
  const claim = (await kube.resource(resourceClaims).list()).items[0];
  expect(claim?.metadata.finalizers).toEqual([claimDeleteProtection]);
  expect(claim?.status).toEqual({
    allocation: {
      devices: { results: [{ request: 'r', driver, pool: 'n2', device: 'a' }] },
      nodeSelector: {
        nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n2'] }] }],
      },
      allocationTimestamp: expect.any(String),
    },
    reservedFor: [{ resource: 'pods', name: 'p', uid: metadata.uid }],
  });
});

test('Scheduler lets a pod wait for a device until another pod is deleted, and says so', async () => {
  const clock = new ManualClock();
  await using cluster = await aCluster({ clock });
  const { kube } = cluster;
  await makeClass(kube);
  await makeTemplate(kube);
  await makeSlice(kube, 'n1', 'a');
  await makePod(kube, 'first', own);
  await nodeOf(kube, 'first');
  await makePod(kube, 'second', own);
  const words = `${nothing} still not schedulable, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.`;
  const condition = await says(kube, 'second', words);
  expect(condition).toMatchObject({ status: 'False', reason: 'Unschedulable', message: words });
  await kube.resource(pods).delete(at('first'));
  expect(await nodeOf(kube, 'second', clock)).toBe('n1');
});

test('Scheduler reserves a claim for each pod that shares it, all on the node of its device', async () => {
  await using cluster = await aCluster();
  const { kube } = cluster;
  await makeClass(kube);
  await makeSlice(kube, 'n2', 'a');
  await makeClaim(kube);
  const names = ['p', 'q', 'r', 's'];
  await Promise.all(names.map((name) => makePod(kube, name, shared)));
  const nodes = await Promise.all(names.map((name) => nodeOf(kube, name)));
  expect(nodes).toEqual(['n2', 'n2', 'n2', 'n2']);
  const { status } = await kube.resource(resourceClaims).get(at('shared'));
  expect(status?.reservedFor?.map(({ name }) => name).sort()).toEqual(names);
  expect(status?.allocation?.devices?.results).toHaveLength(1);
});

test('Scheduler gives a device to one of many claims, however many come at once', async () => {
  await using cluster = await aCluster();
  const { kube } = cluster;
  await makeClass(kube);
  await makeTemplate(kube);
  for (const node of ['n1', 'n2']) await makeSlice(kube, node, 'a', 'b');
  await Promise.all(Array.from({ length: 8 }, (_, index) => makePod(kube, `p${index}`, own)));
  await until('every pod to be decided', async () => {
    const { items } = await kube.resource(pods).list();
    return items.every((pod) => podCondition(pod, 'PodScheduled'));
  });
  const { items } = await kube.resource(resourceClaims).list();
  const devices = items.flatMap(({ status }) => status?.allocation?.devices?.results ?? []);
  expect(devices.map(({ pool, device }) => `${pool}/${device}`).sort()).toEqual(['n1/a', 'n1/b', 'n2/a', 'n2/b']);
});

test('Scheduler that starts anew leaves devices with the claims that have them', async () => {
  await using cluster = await aCluster();
  const { kube } = cluster;
  await makeClass(kube);
  await makeTemplate(kube);
  await makeSlice(kube, 'n1', 'a', 'b');
  await makePod(kube, 'p', own);
  await nodeOf(kube, 'p');
  await cluster.restartScheduler();
  await makePod(kube, 'q', own);
  await nodeOf(kube, 'q');
  const { items } = await kube.resource(resourceClaims).list();
  const devices = items.flatMap(({ status }) => status?.allocation?.devices?.results ?? []);
  expect(devices.map(({ device }) => device).sort()).toEqual(['a', 'b']);
});

test('Scheduler says nothing on a pod whose claim is not there yet, and places it once it is', async () => {
  await using cluster = await aCluster();
  const { kube } = cluster;
  await makeClass(kube);
  await makeSlice(kube, 'n1', 'a');
  await makePod(kube, 'p', shared);
  await makePod(kube, 'other');
  await nodeOf(kube, 'other');
  expect(podCondition(await kube.resource(pods).get(at('p')), 'PodScheduled')).toBeUndefined();
  await makeClaim(kube);
  expect(await nodeOf(kube, 'p')).toBe('n1');
});

// what a pod lacks | what is there | why it waits | what helps
const lacks: [string, (kube: Kube) => Promise<unknown>, string, (kube: Kube) => Promise<unknown>][] = [
  [
    'a class',
    (kube) => makeSlice(kube, 'n1', 'a'),
    '0/2 nodes are available: request r: device class gpu does not exist.',
    makeClass,
  ],
  ['devices', makeClass, '2 cannot allocate all claims.', (kube) => makeSlice(kube, 'n1', 'a')],
];

test.each(lacks)('Scheduler tries a pod again when %s came that it lacked', async (_what, given, why, help) => {
  const clock = new ManualClock();
  await using cluster = await aCluster({ clock });
  const { kube } = cluster;
  await given(kube);
  await makeClaim(kube);
  await makePod(kube, 'p', shared);
  await says(kube, 'p', why, clock);
  await help(kube);
  expect(await nodeOf(kube, 'p', clock)).toBe('n1');
});

test('Scheduler says on a pod when no decision can be made about its claim', async () => {
  await using cluster = await aCluster();
  const { kube } = cluster;
  await makeClass(kube);
  await makeSlice(kube, 'n1', 'a');
  const expression = `device.attributes["${driver}"].model == "x"`;
  await makeClaim(kube, 'shared', [asks('r', { selectors: [{ cel: { expression } }] })]);
  await makePod(kube, 'p', shared);
  const words = `running "DynamicResources" filter plugin: claim default/shared: selector #0 on device ${driver}/n1/a: CEL runtime error: no such key: model`;
  const { reason, message } = await says(kube, 'p', words);
  expect(reason).toBe('SchedulerError');
  const event = await until('the event', async () =>
    (await kube.resource(Events).list()).items.find(({ reason }) => reason === 'FailedScheduling'),
  );
  expect(event.message).toBe(message);
});

test('Scheduler frees an unused claim whose device keeps a pod from the only other node', async () => {
  const clock = new ManualClock();
  await using cluster = await aCluster({ clock });
  const { kube } = cluster;
  await makeClass(kube);
  for (const node of ['n1', 'n2']) await makeSlice(kube, node, 'a');
  const claim = await makeClaim(kube);
  const nodeSelector = {
    nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] }],
  } as const;
  const allocation = { devices: { results: [{ request: 'r', driver, pool: 'n1', device: 'a' }] }, nodeSelector };
  await kube.resource(resourceClaims).replaceStatus({ ...claim, status: { allocation } });
  const pod = aPod('p', shared);
  await kube.resource(pods).create({ ...pod, spec: { ...pod.spec, nodeSelector: { 'kubernetes.io/hostname': 'n2' } } });
  expect(await nodeOf(kube, 'p', clock)).toBe('n2');
  await until('an event tells of it', async () => {
    const { items } = await kube.resource(Events).list();
    return items.some(({ message }) => message?.includes('deallocation of ResourceClaim completed, preemption: '));
  });
});

const gpu = 'example.com/gpu';
const makeResourceClass = (kube: Kube) =>
  kube.resource(deviceClasses).create(aDeviceClass('gpu', { extendedResourceName: gpu }));

function aPodWithResource(name: string, count = '1'): Pod {
  const amounts = { [gpu]: count };
  const containers = [{ name: 'main', image: 'image', resources: { requests: amounts, limits: amounts } }];
  return { apiVersion: 'v1', kind: 'Pod', metadata: at(name), spec: { containers } };
}

test('Scheduler allocates devices for an extended resource of a pod, by a claim of its own that goes with it', async () => {
  await using cluster = await aCluster({ profile: versionProfiles['v1.37'] });
  const { kube } = cluster;
  await makeResourceClass(kube);
  await makeSlice(kube, 'n2', 'a', 'b');
  const { metadata } = await kube.resource(pods).create(aPodWithResource('p', '2'));
  expect(await nodeOf(kube, 'p')).toBe('n2');
  const [claim] = (await kube.resource(resourceClaims).list()).items;
  expect(claim?.metadata).toMatchObject({
    name: expect.stringMatching(/^p-extended-resources-/),
    annotations: { 'resource.kubernetes.io/extended-resource-claim': 'true' },
    ownerReferences: [{ kind: 'Pod', name: 'p', uid: metadata.uid, controller: true }],
  });
  expect(claim?.status?.allocation?.devices?.results?.map(({ device }) => device)).toEqual(['a', 'b']);
  expect(claim?.status?.reservedFor).toEqual([{ resource: 'pods', name: 'p', uid: metadata.uid }]);
  const running = await until('the pod to run', async () => {
    const pod = await kube.resource(pods).get(at('p'));
    return pod.status?.phase === 'Running' && pod;
  });
  expect(running.status?.extendedResourceClaimStatus).toEqual({
    resourceClaimName: claim?.metadata.name,
    requestMappings: [{ containerName: 'main', resourceName: gpu, requestName: 'container-0-request-0' }],
  });

  await kube.resource(pods).create(aPodWithResource('late'));
  await says(kube, 'late', nothing);
  await kube.resource(pods).delete(at('p'), { gracePeriodSeconds: 0 });
  await until('the claim to go', async () => {
    const { items } = await kube.resource(resourceClaims).list();
    return items.every((item) => item.metadata.uid !== claim?.metadata.uid);
  });
  expect(await nodeOf(kube, 'late')).toBe('n2');
});

test('Scheduler puts a pod with an extended resource on a node that has it by itself, without a claim', async () => {
  const capacity = { cpu: '4', memory: '8Gi', pods: '110', [gpu]: '1' };
  await using cluster = await aCluster({ nodes: 1, capacity, profile: versionProfiles['v1.37'] });
  const { kube } = cluster;
  await makeResourceClass(kube);
  await kube.resource(pods).create(aPodWithResource('p'));
  expect(await nodeOf(kube, 'p')).toBe('n1');
  expect((await kube.resource(resourceClaims).list()).items).toEqual([]);
  await kube.resource(pods).create(aPodWithResource('late'));
  await says(kube, 'late', `Insufficient ${gpu}`);
});

test('Scheduler removes a claim for extended resources that was left over, and makes another', async () => {
  await using cluster = await aCluster({ nodes: 1, profile: versionProfiles['v1.37'] });
  const { kube } = cluster;
  await kube.resource(pods).create(aPodWithResource('p'));
  await says(kube, 'p', `Insufficient ${gpu}`);
  const { uid = '' } = (await kube.resource(pods).get(at('p'))).metadata;
  const left = await kube.resource(resourceClaims).create({
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaim',
    metadata: {
      ...at('left'),
      annotations: { 'resource.kubernetes.io/extended-resource-claim': 'true' },
      finalizers: [claimDeleteProtection],
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid, controller: true }],
    },
    spec: { devices: { requests: [asks('r')] } },
  });
  await makeSlice(kube, 'n1', 'a');
  await makeResourceClass(kube);
  expect(await nodeOf(kube, 'p')).toBe('n1');
  const { items } = await kube.resource(resourceClaims).list();
  expect(items.map(({ metadata }) => metadata.uid)).not.toContain(left.metadata.uid);
  expect(items).toHaveLength(1);
});

const unprepared = (name: string) => ({ name, bindingConditions: ['ready'], bindingFailureConditions: ['broken'] });

/** A pod whose only device has to be prepared before it is bound. */
async function makeWaiting(kube: Kube): Promise<void> {
  await makeClass(kube);
  await makeClaim(kube);
  await kube.resource(resourceSlices).create(aSlice('n1', [unprepared('a')], { nodeName: 'n1' }));
  await makePod(kube, 'p', shared);
}

/** The driver says on the claim what became of the device that it has. */
async function driverSays(kube: Kube, type: string): Promise<void> {
  const ref = at('shared');
  const { status } = await kube.resource(resourceClaims).get(ref);
  const { driver: of = '', pool = '', device = '' } = status?.allocation?.devices?.results?.[0] ?? {};
  const condition = {
    type,
    status: 'True',
    reason: 'Tested',
    message: 'so',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  await kube
    .resource(resourceClaims)
    .mergeStatus(ref, { status: { devices: [{ driver: of, pool, device, conditions: [condition] }] } });
}

/** The device that the claim has; with a clock, time passes meanwhile. */
const allocated = (kube: Kube, clock: ManualClock, isMeant = (_device: string) => true) =>
  until('a device for the claim', async () => {
    await clock.advance(500);
    const { status } = await kube.resource(resourceClaims).get(at('shared'));
    const device = status?.allocation?.devices?.results?.[0]?.device;
    return device !== undefined && isMeant(device) && device;
  });

test('Scheduler binds a pod once its device says that it is prepared', async () => {
  const clock = new ManualClock();
  await using cluster = await aCluster({ nodes: 1, clock });
  const { kube } = cluster;
  await makeWaiting(kube);
  await allocated(kube, clock);
  const event = await until('the event', async () =>
    (await kube.resource(Events).list()).items.find(({ reason }) => reason === 'BindingConditionsPending'),
  );
  expect(event.message).toBe('waiting for binding conditions for device on node n1');
  // Others do not wait for it.
  await kube.resource(pods).create(aPod('other'));
  await nodeOf(kube, 'other', clock);
  expect((await kube.resource(pods).get(at('p'))).spec.nodeName).toBeUndefined();
  await driverSays(kube, 'ready');
  expect(await nodeOf(kube, 'p', clock)).toBe('n1');
});

test('Scheduler gives a pod another device when one failed to be prepared, and says why', async () => {
  const clock = new ManualClock();
  await using cluster = await aCluster({ nodes: 1, clock });
  const { kube } = cluster;
  await makeWaiting(kube);
  expect(await allocated(kube, clock)).toBe('a');
  await kube
    .resource(resourceSlices)
    .merge(
      { name: 'n1' },
      { spec: { devices: [{ ...unprepared('a'), taints: [{ key: 'broken', effect: 'NoSchedule' }] }, { name: 'b' }] } },
    );
  await driverSays(kube, 'broken');
  const why = 'device binding failed: claim=shared, reason=Tested, message="so"';
  const told = await until('the event', async () => {
    const { items } = await kube.resource(Events).list();
    return items.find(({ message }) => message.includes(why));
  });
  expect(told).toMatchObject({
    reason: 'FailedScheduling',
    message: `running PreBind plugin "DynamicResources": ${why}`,
  });
  expect(await allocated(kube, clock, (device) => device !== 'a')).toBe('b');
  expect(await nodeOf(kube, 'p', clock)).toBe('n1');
});

test('Scheduler takes a device back that is not prepared after ten minutes', async () => {
  const clock = new ManualClock();
  await using cluster = await aCluster({ nodes: 1, clock });
  const { kube } = cluster;
  await makeWaiting(kube);
  await allocated(kube, clock);
  await clock.advance(600_000);
  for (const words of ['device binding timeout: claim=shared', 'deallocation of ResourceClaim completed']) {
    await until(`an event that says ${words}`, async () => {
      await clock.advance(500);
      const { items } = await kube.resource(Events).list();
      return items.some(({ message }) => message.includes(words));
    });
  }
});
