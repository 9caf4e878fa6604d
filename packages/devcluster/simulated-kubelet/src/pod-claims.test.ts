import { aCluster } from '@slipway/devcluster/testing/a-cluster';
import { Events } from '@slipway/kube';
import { ManualClock } from '@slipway/kube/testing';
import { pods } from '@slipway/kube-objects/kinds/api/pods';
import { resourceClaims, resourceClaimTemplates } from '@slipway/kube-objects/kinds/api/resource-claims';
import { until } from '@slipway/kube-objects/testing/until';
import { expect, test } from 'vitest';

const namespace = 'default';
const devices = { requests: [{ name: 'r', exactly: { deviceClassName: 'gpu' } }] };
const results = [{ request: 'r', driver: 'gpu.example.com', pool: 'n1', device: 'a' }];

test('a pod that was put on a node waits for its claim, says why, and starts when the claim is reserved for it', async () => {
  const clock = new ManualClock();
  await using cluster = await aCluster({ nodes: 1, clock });
  const { kube } = cluster;
  const claims = kube.resource(resourceClaims);
  await kube.resource(resourceClaimTemplates).create({
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaimTemplate',
    metadata: { namespace, name: 'one' },
    spec: { spec: { devices } },
  });
  const pod = await kube.resource(pods).create({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace, name: 'p' },
    spec: {
      nodeName: 'n1',
      containers: [{ name: 'main', image: 'image' }],
      resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 'one' }],
    },
  });
  const claim = await until('the claim', async () => (await claims.list()).items[0]);
  const { name, uid } = claim.metadata;
  const message = await until('the event', async () => {
    await clock.advance(500);
    const { items } = await kube.resource(Events).list();
    return items.find(({ message }) => message?.includes('is not allowed to use'))?.message;
  });
  const why = `pod p (${pod.metadata.uid}) is not allowed to use ResourceClaim ${name} (${uid})`;
  expect(message).toBe(`Failed to prepare dynamic resources: prepare dynamic resources: ${why}`);
  const phase = async () => (await kube.resource(pods).get({ namespace, name: 'p' })).status?.phase;
  expect(await phase()).toBe('Pending');
  await claims.replaceStatus({ ...claim, status: { allocation: { devices: { results } } } });
  await until('the pod to run', async () => {
    await clock.advance(500);
    return (await phase()) === 'Running';
  });
  expect((await claims.list()).items[0]?.status?.reservedFor).toMatchObject([{ name: 'p' }]);
  const { status } = await kube.resource(pods).get({ namespace, name: 'p' });
  expect(status?.resourceClaimStatuses).toEqual([{ name: 'gpu', resourceClaimName: name }]);
});
