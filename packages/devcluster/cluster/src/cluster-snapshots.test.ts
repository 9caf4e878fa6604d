import { CustomResourceDefinition, InformerFactory, type KubeObject, silentLog } from '@slipway/kube';
import { ManualClock } from '@slipway/kube/testing';
import { configMaps, namespaces } from '@slipway/kube-objects/kinds/api/core';
import { pods } from '@slipway/kube-objects/kinds/api/pods';
import { deployments } from '@slipway/kube-objects/kinds/api/workloads';
import { definitionOf } from '@slipway/kube-objects/testing/objects';
import { expect, test, vi } from 'vitest';
import type { Cluster } from './cluster.js';
import { aConfigMap, aDeployment } from './testing/some-objects.js';
import { aStartedCluster } from './testing/started-cluster.js';

// Clusters start and stop in here, beside all other tests of the machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

async function aCluster(): Promise<Cluster> {
  const cluster = await aStartedCluster({ nodes: 2, clock: new ManualClock() });
  await cluster.ready();
  return cluster;
}

test('restore() brings back a workload that was deleted, and its controllers have nothing to do', async () => {
  const cluster = await aCluster();
  const kube = cluster.kube();
  await kube.resource(deployments).create(aDeployment('web', 3));
  await cluster.advance(10_000);
  const saved = await cluster.snapshot();
  const before = await podsOf(cluster);
  expect(before.map(({ status }) => status?.phase)).toEqual(['Running', 'Running', 'Running']);

  await kube.resource(deployments).delete({ namespace: 'default', name: 'web' });
  await kube.resource(deployments).create(aDeployment('other', 2));
  await cluster.advance(60_000);
  expect((await podsOf(cluster)).map(({ metadata }) => metadata.labels?.app)).toEqual(['other', 'other']);

  await cluster.restore(saved);
  expect((await podsOf(cluster)).map(withoutRevision)).toEqual(before.map(withoutRevision));
  await cluster.advance(120_000);
  expect((await podsOf(cluster)).map(identity)).toEqual(before.map(identity));
  const { items } = await kube.resource(deployments).list();
  expect(items.map(({ metadata, status }) => [metadata.name, status?.readyReplicas])).toEqual([['web', 3]]);
});

test('watches go on over restore(), and an informer has the restored state', async () => {
  const cluster = await aCluster();
  const kube = cluster.kube();
  const maps = kube.resource(configMaps);
  await maps.create(aConfigMap('kept'));
  await maps.create(aConfigMap('changed'));
  const informers = new InformerFactory(kube, { log: silentLog });
  const { lister } = informers.informer(configMaps);
  await informers.start();
  const saved = await cluster.snapshot();
  const { metadata } = (await maps.find({ namespace: 'default', name: 'changed' })) as KubeObject;

  await maps.create(aConfigMap('new'));
  await maps.replace({ ...aConfigMap('changed'), data: { a: '2' } });
  await maps.delete({ namespace: 'default', name: 'kept' });
  await cluster.restore(saved);
  const namesSeen = () => lister.list({ namespace: 'default' }).map((one) => one.metadata.name);
  await vi.waitFor(() => expect(namesSeen().sort()).toEqual(['changed', 'kept', 'kube-root-ca.crt']));
  const restored = lister.get({ namespace: 'default', name: 'changed' }) as KubeObject;
  expect([restored.data, restored.metadata.uid]).toEqual([undefined, metadata.uid]);
  expect(Number(restored.metadata.resourceVersion)).toBeGreaterThan(Number(metadata.resourceVersion));
  await informers.stop();
});

test('restore() removes custom kinds with their objects, and serves those again that were removed', async () => {
  const cluster = await aCluster();
  const kube = cluster.kube();
  const things = { group: 'example.org', version: 'v1', kind: 'Thing', plural: 'things', namespaced: false };
  const empty = await cluster.snapshot();
  await kube.resource(CustomResourceDefinition).create(definitionOf(things, { type: 'object' }));
  await kube.resource(things).create({ apiVersion: 'example.org/v1', kind: 'Thing', metadata: { name: 'one' } });
  const full = await cluster.snapshot();
  for (let round = 0; round < 2; round += 1) {
    await cluster.restore(empty);
    await expect(kube.resource(things).list()).rejects.toMatchObject({ code: 404 });
    await cluster.restore(full);
    expect((await kube.resource(things).list()).items.map(({ metadata }) => metadata.name)).toEqual(['one']);
  }
});

test('restore() brings back a namespace with all that was in it', async () => {
  const cluster = await aCluster();
  const kube = cluster.kube();
  await kube.resource(namespaces).create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
  await kube.resource(configMaps).create(aConfigMap('settings', 'team'));
  await cluster.advance(1_000);
  const saved = await cluster.snapshot();
  await kube.resource(namespaces).delete({ name: 'team' });
  await cluster.advance(60_000);
  expect(await kube.resource(namespaces).find({ name: 'team' })).toBeUndefined();
  await cluster.restore(saved);
  await cluster.advance(60_000);
  const { items } = await kube.resource(configMaps).list({ namespace: 'team' });
  expect(items.map(({ metadata }) => metadata.name)).toEqual(['kube-root-ca.crt', 'settings']);
});

test('restore() rejects a snapshot of another cluster', async () => {
  const [one, other] = [await aCluster(), await aCluster()];
  await expect(other.restore(await one.snapshot())).rejects.toThrow('the snapshot is not one of this cluster');
});

async function podsOf(cluster: Cluster) {
  return (await cluster.kube().resource(pods).list({ namespace: 'default' })).items;
}

function identity({ metadata, spec, status }: KubeObject) {
  return [metadata.name, metadata.uid, spec.nodeName, status.phase];
}

function withoutRevision({ metadata, ...rest }: KubeObject) {
  return { ...rest, metadata: { ...metadata, resourceVersion: '' } };
}
