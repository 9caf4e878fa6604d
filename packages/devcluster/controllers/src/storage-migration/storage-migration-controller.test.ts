import { startCluster } from '@slipway/devcluster';
import { aCluster } from '@slipway/devcluster/testing/a-cluster';
import { CustomResourceDefinition, isConditionTrue, Kube, type KubeObject, silentLog } from '@slipway/kube';
import { storageVersionMigrations } from '@slipway/kube-objects/kinds/api/storage-migrations';
import { expect, test, vi } from 'vitest';
import { aCustomKind, aCustomObject, customObjects } from '../testing/custom-kind.js';

const twoVersions = (stored: 'v1' | 'v2'): KubeObject => {
  const kind = aCustomKind();
  const [version] = kind.spec.versions;
  const versions = ['v1', 'v2'].map((name) => ({ ...version, name, storage: name === stored }));
  return { ...kind, spec: { ...kind.spec, versions } };
};

/** A cluster with definitions. */
async function started() {
  const cluster = await startCluster({ nodes: 0, log: silentLog });
  await cluster.ready();
  return { kube: new Kube(cluster.transport()), [Symbol.asyncDispose]: () => cluster.stop() };
}

async function migrate(kube: Kube, name: string, group: string, resource: string): Promise<void> {
  const client = kube.resource(storageVersionMigrations);
  const { apiVersion, kind } = { apiVersion: 'storagemigration.k8s.io/v1', kind: 'StorageVersionMigration' };
  await client.create({ apiVersion, kind, metadata: { name }, spec: { resource: { group, resource } } });
  await vi.waitFor(
    async () => {
      const { status } = await client.get({ name });
      expect(isConditionTrue(status?.conditions, 'Succeeded')).toBe(true);
    },
    { timeout: 10_000 },
  );
}

test('a StorageVersionMigration has objects stored in the version of new ones, and only that recorded', async () => {
  await using cluster = await started();
  const { kube } = cluster;
  const definitions = kube.resource(CustomResourceDefinition);
  await definitions.create(twoVersions('v1'));
  const objects = kube.resource(customObjects);
  await vi.waitFor(() => objects.create(aCustomObject('a')), { timeout: 10_000 });
  const ref = { name: 'a', namespace: 'default' };
  const { resourceVersion: before } = (await objects.get(ref)).metadata;
  const name = 'widgets.example.com';
  await definitions.merge({ name }, { spec: twoVersions('v2').spec });
  await vi.waitFor(async () => expect((await definitions.get({ name })).status.storedVersions).toEqual(['v1', 'v2']));
  await migrate(kube, 'm', 'example.com', 'widgets');
  expect((await definitions.get({ name })).status.storedVersions).toEqual(['v2']);
  const { resourceVersion: after } = (await objects.get(ref)).metadata;
  expect(after).not.toBe(before);
});

test('a StorageVersionMigration of objects that are stored in the right version changes none', async () => {
  await using cluster = await aCluster({ nodes: 0 });
  const { kube } = cluster;
  const maps = kube.resource({ group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true });
  const made = await maps.create({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', namespace: 'default' },
  });
  await migrate(kube, 'm', '', 'configmaps');
  expect((await maps.get({ name: 'a', namespace: 'default' })).metadata).toEqual(made.metadata);
});
