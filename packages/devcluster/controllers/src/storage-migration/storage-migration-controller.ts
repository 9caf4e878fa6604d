import {
  type Condition,
  Controller,
  CustomResourceDefinition,
  hasReason,
  isConditionTrue,
  type Kube,
  type KubeObject,
  type Reconciler,
  type ResourceRef,
  retryLostRaces,
  timestamp,
} from '@slipway/kube';
import {
  type StorageVersionMigration,
  storageVersionMigrations,
} from '@slipway/kube-objects/kinds/api/storage-migrations';
import type { WorkloadDeps } from '../workloads/workload-deps.js';

/** How long a resource may be unknown: its definition may have been created together with the migration. */
const patienceMs = 60_000;
const lookAgainMs = 1_000;

/** Has every object of a resource stored in the version that new ones are stored in, for each StorageVersionMigration. */
export function storageMigrationController(deps: WorkloadDeps): Controller {
  return new Controller({
    ...deps,
    name: 'storage-version-migrator-controller',
    for: storageVersionMigrations,
    reconcile: retryLostRaces(migrationReconciler(deps)),
  });
}

/** A migration that is interrupted begins anew: objects that it has written stay as they are. */
function migrationReconciler({ kube, informers }: WorkloadDeps): Reconciler {
  const migrations = informers.informer(storageVersionMigrations);
  const client = kube.resource(storageVersionMigrations);
  return async (ref, { now, signal }) => {
    const migration = migrations.lister.get(ref);
    if (!migration || ['Succeeded', 'Failed'].some((type) => isConditionTrue(migration.status?.conditions, type))) {
      return undefined;
    }
    const end = async (status: Omit<NonNullable<StorageVersionMigration['status']>, 'conditions'>, ...given: End[]) => {
      const conditions = given.map((each) => ({
        status: 'True' as const,
        lastTransitionTime: timestamp(now()),
        ...each,
      }));
      await client.replaceStatus({ ...migration, status: { ...status, conditions } }, { signal });
    };
    const { group = '', resource: plural } = migration.spec.resource;
    const { resources } = await kube.discover(signal);
    const resource = resources.find((each) => each.group === group && each.plural === plural);
    if (!resource) {
      const ageMs = now() - Date.parse(migration.metadata.creationTimestamp ?? '');
      if (ageMs < patienceMs) return { requeueAfterMs: lookAgainMs };
      await end({}, failed('resource does not exist in discovery'));
      return undefined;
    }
    const { count, resourceVersion } = await migrateAll(kube, resource, signal);
    const verified = count > 0 ? `, ${count} objects verified migrated` : '';
    await end(
      { resourceVersion },
      { type: 'Running', reason: 'MigrationRunning', message: `The migration is running${verified}` },
      { type: 'Succeeded', reason: 'StorageVersionMigrationSucceeded', message: 'Migration completed' },
    );
    return undefined;
  };
}

type End = Pick<Condition, 'type' | 'reason' | 'message'>;

function failed(message: string): End {
  return { type: 'Failed', reason: 'StorageVersionMigrationFailed', message };
}

/** Writes every object back as it is, and then records of a custom resource that only one version is stored. */
async function migrateAll(kube: Kube, resource: ResourceRef, signal: AbortSignal) {
  const definition = await definitionOf(kube, resource, signal);
  const client = kube.resource(resource);
  let count = 0;
  let resourceVersion = '';
  for await (const page of client.pages({ signal })) {
    resourceVersion ||= page.resourceVersion;
    for (const { metadata } of page.items) {
      await writeBack(client, metadata, signal);
      count++;
    }
  }
  if (definition) await recordVersion(kube, resource, definition, signal);
  return { count, resourceVersion };
}

/** An object that another writer changed or deleted needs no migration any more. */
async function writeBack(client: ReturnType<Kube['resource']>, metadata: KubeObject['metadata'], signal: AbortSignal) {
  const { name = '', namespace, resourceVersion } = metadata;
  try {
    await client.merge({ name, namespace }, { metadata: { resourceVersion } }, { signal });
  } catch (error) {
    if (!hasReason(error, 'Conflict') && !hasReason(error, 'NotFound')) throw error;
  }
}

async function definitionOf(kube: Kube, { group, plural }: ResourceRef, signal: AbortSignal) {
  if (!group.includes('.')) return undefined;
  return await kube.resource(CustomResourceDefinition).find({ name: `${plural}.${group}` }, signal);
}

/** A definition that changed meanwhile may store another version. */
async function recordVersion(kube: Kube, resource: ResourceRef, before: KubeObject, signal: AbortSignal) {
  const now: KubeObject | undefined = await definitionOf(kube, resource, signal);
  if (!now || now.metadata.generation !== before.metadata.generation) return;
  const versions: readonly { name: string; storage?: boolean }[] = now.spec.versions;
  const storedVersions = versions.filter(({ storage }) => storage).map(({ name }) => name);
  const { name = '', resourceVersion } = now.metadata;
  const status = { storedVersions };
  await kube
    .resource(CustomResourceDefinition)
    .mergeStatus({ name }, { metadata: { resourceVersion }, status }, { signal });
}
