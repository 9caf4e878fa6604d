import { aCluster } from '@slipway/devcluster/testing/a-cluster';
import { aStartedCluster } from '@slipway/devcluster/testing/started-cluster';
import {
  CustomResourceDefinition,
  Events,
  type Kube,
  Kube as KubeClient,
  type KubeObject,
  type KubeRequest,
  type OwnerReference,
  ownerReference,
} from '@slipway/kube';
import { ManualClock } from '@slipway/kube/testing';
import { configMaps, secrets } from '@slipway/kube-objects/kinds/api/core';
import { pods } from '@slipway/kube-objects/kinds/api/pods';
import { deployments, replicaSets } from '@slipway/kube-objects/kinds/api/workloads';
import { aDeployment } from '@slipway/kube-objects/testing/objects';
import { until } from '@slipway/kube-objects/testing/until';
import { expect, test } from 'vitest';
import { aCustomKind, aCustomObject, customObjects } from '../testing/custom-kind.js';

const at = (name: string, namespace = 'default') => ({ namespace, name });

function aConfigMap(name: string, owners: readonly OwnerReference[] = [], namespace = 'default') {
  const ownerReferences = owners.length > 0 && { ownerReferences: [...owners] };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace, ...ownerReferences } };
}

const isGone = (kube: Kube, name: string) =>
  until(`${name} to go`, async () => !(await kube.resource(configMaps).find(at(name))));
const blocking = (owner: KubeObject) => ({ ...ownerReference(owner), blockOwnerDeletion: true });

test('an object goes with its last owner, and loses the reference to one of several', async () => {
  await using cluster = await aCluster({ nodes: 0 });
  const maps = cluster.kube.resource(configMaps);
  const [a, b] = [await maps.create(aConfigMap('a')), await maps.create(aConfigMap('b'))];
  await maps.create(aConfigMap('of-a', [ownerReference(a)]));
  await maps.create(aConfigMap('of-both', [ownerReference(a), ownerReference(b)]));
  await maps.delete(at('a'));
  await isGone(cluster.kube, 'of-a');
  await until(
    'the reference to go',
    async () => (await maps.get(at('of-both'))).metadata.ownerReferences?.length === 1,
  );
  await maps.delete(at('b'));
  await isGone(cluster.kube, 'of-both');
});

test('an object whose owner never was, or was replaced by another of the same name, goes', async () => {
  await using cluster = await aCluster({ nodes: 0 });
  const maps = cluster.kube.resource(configMaps);
  const a = await maps.create(aConfigMap('a'));
  await maps.create(aConfigMap('late', [{ ...ownerReference(a), uid: 'another-uid' }]));
  await maps.create(aConfigMap('lost', [{ apiVersion: 'v1', kind: 'Secret', name: 'none', uid: 'no-uid' }]));
  await isGone(cluster.kube, 'late');
  await isGone(cluster.kube, 'lost');
  expect(await maps.find(at('a'))).toBeDefined();
});

test('what is made for an owner that is gone goes a second later, lest its maker makes it again at once', async () => {
  const clock = new ManualClock();
  await using cluster = await aCluster({ nodes: 0, clock });
  const maps = cluster.kube.resource(configMaps);
  const work = async () => {
    for (let turn = 0; turn < 20; turn++) await clock.advance(0);
  };
  const owner = await maps.create(aConfigMap('owner'));
  await maps.create(aConfigMap('owned', [ownerReference(owner)]));
  await maps.delete(at('owner'));
  await work();
  expect(await maps.find(at('owned'))).toBeUndefined();

  await maps.create(aConfigMap('late', [ownerReference(owner)]));
  await work();
  expect(await maps.find(at('late'))).toBeDefined();
  await clock.advance(1_000);
  await work();
  expect(await maps.find(at('late'))).toBeUndefined();
});

test('an owner in another namespace does not hold, and an event says so', async () => {
  await using cluster = await aCluster({ nodes: 0 });
  const maps = cluster.kube.resource(configMaps);
  const far = await maps.create(aConfigMap('far', [], 'kube-public'));
  await maps.create(aConfigMap('near', [ownerReference(far)]));
  await isGone(cluster.kube, 'near');
  await until('the event', async () =>
    (await cluster.kube.resource(Events).list()).items.some(({ reason }) => reason === 'OwnerRefInvalidNamespace'),
  );
});

test('an object stays while the kind of its owner is not served', async () => {
  await using cluster = await aCluster({ nodes: 0 });
  const maps = cluster.kube.resource(configMaps);
  const unknown = { apiVersion: 'example.com/v1', kind: 'Nothing', name: 'x', uid: 'y' };
  await maps.create(aConfigMap('waits', [unknown]));
  const probe = await maps.create(aConfigMap('probe'));
  await maps.create(aConfigMap('of-probe', [ownerReference(probe)]));
  await maps.delete(at('probe'));
  await isGone(cluster.kube, 'of-probe');
  expect(await maps.find(at('waits'))).toBeDefined();
});

test('deleted in the foreground, an owner stays until what blocks it is gone, down to the last pod', async () => {
  await using cluster = await aCluster({ delays: { stopMs: 30 } });
  const { kube } = cluster;
  const { metadata, ...rest } = aDeployment();
  await kube.resource(deployments).create({ ...rest, metadata: { name: metadata.name ?? '', namespace: 'default' } });
  await until('pods', async () => (await kube.resource(pods).list()).items.length === 3);
  await kube.resource(deployments).delete(at('web'), { propagationPolicy: 'Foreground' });
  const left = await until('the deployment to go', async () => {
    // The owner is read first: what is read before it may be deleted meanwhile.
    if (await kube.resource(deployments).find(at('web'))) return false;
    const sets = (await kube.resource(replicaSets).list()).items.length;
    return { sets, podCount: (await kube.resource(pods).list()).items.length };
  });
  expect(left).toEqual({ sets: 0, podCount: 0 });
});

test('deleted in the foreground, an owner does not wait for dependents that do not block it', async () => {
  await using cluster = await aCluster({ nodes: 0 });
  const maps = cluster.kube.resource(configMaps);
  const owner = await maps.create(aConfigMap('owner'));
  const held = aConfigMap('held', [ownerReference(owner)]);
  await maps.create({ ...held, metadata: { ...held.metadata, finalizers: ['example.com/hold'] } });
  await maps.create(aConfigMap('blocks', [blocking(owner)]));
  await maps.delete(at('owner'), { propagationPolicy: 'Foreground' });
  await isGone(cluster.kube, 'owner');
  expect(await maps.find(at('blocks'))).toBeUndefined();
  expect((await maps.get(at('held'))).metadata.deletionTimestamp).toBeDefined();
});

test('custom objects own and are owned, also of kinds installed while it runs', async () => {
  const cluster = await aStartedCluster({ nodes: 0 });
  await cluster.ready();
  const kube = new KubeClient(cluster.transport());
  await kube.resource(CustomResourceDefinition).create(aCustomKind());
  await until('the kind', async () => (await kube.discover()).find('widgets'));
  const owner = await until('an object', () =>
    kube
      .resource(customObjects)
      .create(aCustomObject('owner'))
      .catch(() => undefined),
  );
  const maps = kube.resource(configMaps);
  const map = await maps.create(aConfigMap('owned', [ownerReference(owner)]));
  const of = aCustomObject('of-map');
  await kube
    .resource(customObjects)
    .create({ ...of, metadata: { ...of.metadata, ownerReferences: [ownerReference(map)] } });
  await kube.resource(customObjects).delete(at('owner'));
  await isGone(kube, 'owned');
  await until('the custom object to go', async () => !(await kube.resource(customObjects).find(at('of-map'))));
});

test('an object goes whose owner is removed before garbage collection has seen it', async () => {
  const clock = new ManualClock();
  const answers = { discovery: false, secrets: false };
  const isLost = ({ path, headers }: KubeRequest) => {
    if (path === '/apis') return !answers.discovery;
    const isMetadata = String(headers?.accept).includes('as=PartialObjectMetadata');
    return isMetadata && path.startsWith('/api/v1/secrets') && !answers.secrets;
  };
  await using cluster = await aCluster({
    nodes: 0,
    clock,
    transportOf: (_, transport) => ({
      request: async (request) =>
        isLost(request) ? Promise.reject(new Error('no answer')) : transport.request(request),
      async *stream(request, signal) {
        if (isLost(request)) throw new Error('no answer');
        yield* transport.stream(request, signal);
      },
    }),
  });
  const { kube } = cluster;
  const owner = await kube.resource(secrets).create({ ...aConfigMap('owner'), kind: 'Secret' });
  await kube.resource(configMaps).create(aConfigMap('owned', [ownerReference(owner)]));
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 1_000) await clock.advance(1_000);
  };
  await pass(5_000);
  answers.discovery = true;
  await pass(60_000);
  expect(await kube.resource(configMaps).find(at('owned'))).toBeDefined();
  await kube.resource(secrets).delete(at('owner'));
  answers.secrets = true;
  await pass(600_000);
  expect(await kube.resource(configMaps).find(at('owned'))).toBeUndefined();
});
