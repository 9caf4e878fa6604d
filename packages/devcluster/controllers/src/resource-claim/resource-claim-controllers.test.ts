import { aCluster } from '@slipway/devcluster/testing/a-cluster';
import { Events, type Kube } from '@slipway/kube';
import { type Pod, type PodResourceClaim, pods } from '@slipway/kube-objects/kinds/api/pods';
import {
  type ResourceClaim,
  resourceClaims,
  resourceClaimTemplates,
} from '@slipway/kube-objects/kinds/api/resource-claims';
import { claimDeleteProtection, podClaimAnnotation } from '@slipway/kube-objects/rules/pod-resource-claims';
import { until } from '@slipway/kube-objects/testing/until';
import { expect, test } from 'vitest';

const namespace = 'default';
const at = (name: string) => ({ namespace, name });
const devices = { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu.example.com' } }] };
const fromTemplate = { name: 'gpu', resourceClaimTemplateName: 'one' };
const result = { request: 'gpu', driver: 'gpu.example.com', pool: 'n1', device: 'gpu-0' };

/** A pod that no scheduler looks at. */
function aPod(name: string, ...claims: readonly PodResourceClaim[]): Pod {
  const containers = [{ name: 'main', image: 'image' }];
  const spec = { schedulerName: 'none', containers, resourceClaims: claims };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { namespace, name }, spec };
}

async function makeTemplate(kube: Kube, name = 'one'): Promise<void> {
  await kube.resource(resourceClaimTemplates).create({
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaimTemplate',
    metadata: at(name),
    spec: { metadata: { labels: { app: 'ml' }, annotations: { 'example.com/why': 'test' } }, spec: { devices } },
  });
}

/** A claim that has a device, as the scheduler leaves it, for those pods. */
async function makeAllocated(kube: Kube, name: string, users: readonly Pod[]): Promise<ResourceClaim> {
  const claims = kube.resource(resourceClaims);
  const metadata = { ...at(name), finalizers: [claimDeleteProtection] };
  const made = await claims.create({
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaim',
    metadata,
    spec: { devices },
  });
  const reservedFor = users.map((pod) => ({
    resource: 'pods',
    name: pod.metadata.name ?? '',
    uid: pod.metadata.uid ?? '',
  }));
  return claims.replaceStatus({ ...made, status: { allocation: { devices: { results: [result] } }, reservedFor } });
}

const claimNameOf = (kube: Kube, pod: string) =>
  until('the claim to be named', async () => {
    const { status } = await kube.resource(pods).get(at(pod));
    return status?.resourceClaimStatuses?.[0]?.resourceClaimName;
  });

test('podClaimsController() makes the claim of a template, once there is one, and names it in the status of the pod', async () => {
  await using cluster = await aCluster({ nodes: 1 });
  const { kube } = cluster;
  const pod = await kube.resource(pods).create(aPod('p', fromTemplate));
  const event = await until('the event', async () =>
    (await kube.resource(Events).list()).items.find(({ reason }) => reason === 'FailedResourceClaimCreation'),
  );
  expect(event).toMatchObject({
    type: 'Warning',
    message:
      'PodResourceClaim gpu: resource claim template "one": resourceclaimtemplate.resource.k8s.io "one" not found',
    source: { component: 'resource_claim' },
  });
  await makeTemplate(kube);
  const name = await claimNameOf(kube, 'p');
  expect(name).toMatch(/^p-gpu-[a-z0-9]{5}$/);
  const claim = await kube.resource(resourceClaims).get(at(name));
  expect(claim.metadata).toMatchObject({
    labels: { app: 'ml' },
    annotations: { 'example.com/why': 'test', [podClaimAnnotation]: 'gpu' },
  });
  const { uid } = pod.metadata;
  expect(claim.metadata.ownerReferences).toEqual([{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid, controller: true }]);
  expect(claim.spec.devices).toMatchObject(devices);
});

test('podClaimsController() makes another claim when that of a pod was deleted', async () => {
  await using cluster = await aCluster({ nodes: 1 });
  const { kube } = cluster;
  await makeTemplate(kube);
  await kube.resource(pods).create(aPod('p', fromTemplate));
  const first = await claimNameOf(kube, 'p');
  await kube.resource(resourceClaims).delete(at(first));
  await until('another claim', async () => (await claimNameOf(kube, 'p')) !== first);
  expect((await kube.resource(resourceClaims).list()).items).toHaveLength(1);
});

test('podClaimsController() reserves an allocated claim for a pod that got its node in another way', async () => {
  await using cluster = await aCluster({ nodes: 1 });
  const { kube } = cluster;
  await makeAllocated(kube, 'shared', []);
  const pod = aPod('p', { name: 'gpu', resourceClaimName: 'shared' });
  const { metadata } = await kube.resource(pods).create({ ...pod, spec: { ...pod.spec, nodeName: 'n1' } });
  const reserved = await until('the reservation', async () => {
    const { status } = await kube.resource(resourceClaims).get(at('shared'));
    return status?.reservedFor?.length && status.reservedFor;
  });
  expect(reserved).toEqual([{ resource: 'pods', name: 'p', uid: metadata.uid }]);
});

test('claimReleaseController() frees the devices of a claim when its last pod ends or goes, not before', async () => {
  await using cluster = await aCluster({ nodes: 1 });
  const { kube } = cluster;
  const claims = kube.resource(resourceClaims);
  const make = (name: string) => kube.resource(pods).create(aPod(name, { name: 'gpu', resourceClaimName: 'shared' }));
  const users = await Promise.all(['a', 'b'].map(make));
  await makeAllocated(kube, 'shared', users);
  await kube.resource(pods).mergeStatus(at('a'), { status: { phase: 'Succeeded' } });
  const one = await until('one pod less', async () => {
    const { status } = await claims.get(at('shared'));
    return status?.reservedFor?.length === 1 && status;
  });
  expect(one.allocation).toBeDefined();
  await kube.resource(pods).delete(at('b'));
  const freed = await until('the devices to be free', async () => {
    const claim = await claims.get(at('shared'));
    return claim.metadata.finalizers === undefined && claim;
  });
  expect(freed.status).toEqual({});
});

test('claimReleaseController() lets a deleted claim go when no pod uses it', async () => {
  await using cluster = await aCluster({ nodes: 1 });
  const { kube } = cluster;
  const pod = await kube.resource(pods).create(aPod('p', { name: 'gpu', resourceClaimName: 'shared' }));
  await makeAllocated(kube, 'shared', [pod]);
  await kube.resource(resourceClaims).delete(at('shared'));
  expect((await kube.resource(resourceClaims).get(at('shared'))).metadata.deletionTimestamp).toBeDefined();
  await kube.resource(pods).delete(at('p'));
  await until('the claim to go', async () => !(await kube.resource(resourceClaims).find(at('shared'))));
});

test('claimReleaseController() deletes the own claim of a pod that ended', async () => {
  await using cluster = await aCluster({ nodes: 1 });
  const { kube } = cluster;
  await makeTemplate(kube);
  await kube.resource(pods).create(aPod('p', fromTemplate));
  const name = await claimNameOf(kube, 'p');
  await kube.resource(pods).mergeStatus(at('p'), { status: { phase: 'Succeeded' } });
  await until('the claim to go', async () => !(await kube.resource(resourceClaims).find(at(name))));
  // A change of the pod would bring the claim back if anything did.
  await makeTemplate(kube, 'other');
  await kube.resource(pods).create(aPod('q', { name: 'gpu', resourceClaimTemplateName: 'other' }));
  await kube.resource(pods).merge(at('p'), { metadata: { labels: { seen: 'yes' } } });
  const other = await claimNameOf(kube, 'q');
  expect((await kube.resource(resourceClaims).list()).items.map(({ metadata }) => metadata.name)).toEqual([other]);
});
