import { CustomResourceDefinition, type KubeObject } from '@slipway/kube';
import { expect, test } from 'vitest';
import { aCluster } from '../testing/a-cluster.js';
import { aTaskContext } from '../testing/a-task-context.js';
import { migrateStorage } from './migrate-storage.js';

const widgets = { group: 'acme.io', plural: 'widgets' };
const args = { group: 'acme.io', resource: 'widgets' };
const crd: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.acme.io', generation: 3 },
  spec: { versions: [{ name: 'v1alpha1' }, { name: 'v1', storage: true }] },
  status: { storedVersions: ['v1alpha1', 'v1'] },
};

function withWidgets(count: number) {
  const cluster = aCluster();
  cluster.api.seed(CustomResourceDefinition, crd);
  for (let index = 0; index < count; index++) {
    const metadata = { name: `w${index}`, namespace: 'default', uid: `u${index}` };
    cluster.api.seed(widgets, { apiVersion: 'acme.io/v1', kind: 'Widget', metadata, spec: { size: index } });
  }
  const stored = () => cluster.api.stored(CustomResourceDefinition)[0]?.status.storedVersions;
  const patched = () =>
    cluster.api.requests.filter(({ method, path }) => method === 'PATCH' && path.includes('/widgets/')).length;
  return { cluster, stored, patched };
}

test('migrateStorage() writes every object back, and then says what is stored', async () => {
  const { cluster, stored, patched } = withWidgets(5);
  const saved: string[] = [];
  const save = async (checkpoint: string) => void saved.push(checkpoint);
  const spec = { pace: { pageSize: 2, qps: 1_000, burst: 1_000 } };
  const context = aTaskContext({ kind: 'MigrateStorage', args }, { kube: cluster.kube, save, spec });
  expect(await migrateStorage.run(context)).toEqual({ kind: 'done', objects: 5 });
  expect([patched(), saved.length, stored()]).toEqual([5, 2, ['v1']]);
});

test('migrateStorage() starts over when the CRD changed meanwhile: another version may be stored now', async () => {
  const { cluster, stored } = withWidgets(1);
  const checkpoint = JSON.stringify({ done: 4, generation: 2 });
  const context = aTaskContext({ kind: 'MigrateStorage', args, checkpoint }, { kube: cluster.kube });
  expect(await migrateStorage.run(context)).toMatchObject({ kind: 'waiting', checkpoint: '' });
  expect(stored()).toEqual(['v1alpha1', 'v1']);
});

test('migrateStorage() asks the API server anew once a migration that failed is deleted as its message says', async () => {
  const cluster = aCluster({ migrations: true });
  cluster.api.seed(widgets, {
    apiVersion: 'acme.io/v1',
    kind: 'Widget',
    metadata: { name: 'w', namespace: 'default' },
  });
  const migrations = { group: 'storagemigration.k8s.io', plural: 'storageversionmigrations' };
  const ref = { ...migrations, version: 'v1', kind: 'StorageVersionMigration', namespaced: false };
  const context = aTaskContext({ kind: 'MigrateStorage', args }, { kube: cluster.kube });
  expect(await migrateStorage.run(context)).toMatchObject({ kind: 'waiting', reason: 'Migrating' });

  const status = { conditions: [{ type: 'Failed', status: 'True', message: 'no leader' }] };
  await cluster.kube.resource(ref).mergeStatus({ name: 'widgets-4-abcd' }, { status });
  const blocked = await migrateStorage.run(context);
  expect(blocked).toMatchObject({ kind: 'blocked', reason: 'MigrationFailed' });
  const command = 'kubectl delete storageversionmigrations.storagemigration.k8s.io widgets-4-abcd';
  expect(blocked).toHaveProperty('message', expect.stringContaining(command));

  await cluster.kube.resource(ref).delete({ name: 'widgets-4-abcd' });
  expect(await migrateStorage.run(context)).toMatchObject({ kind: 'waiting', reason: 'Migrating' });
  expect(cluster.api.stored(migrations)).toHaveLength(1);
});

test('migrateStorage() has nothing to do for a resource that is not served', async () => {
  const context = aTaskContext(
    { kind: 'MigrateStorage', args: { ...args, resource: 'ghosts' } },
    { kube: aCluster().kube },
  );
  expect(await migrateStorage.run(context)).toMatchObject({ kind: 'done', result: 'Skipped' });
});
