import {
  CustomResourceDefinition,
  type DiscoveredResource,
  findCondition,
  hasReason,
  type KubeObject,
  StatusError,
  sleep,
  TokenBucket,
} from '@slipway/kube';
import type { TaskOutcome } from '../lifecycle/task-outcome.js';
import { readPage, resourceNamed } from '../references/collection.js';
import { inParallel } from './in-parallel.js';
import { paceOf } from './pace.js';
import type { Task } from './task.js';
import { argumentProblems } from './task-arguments.js';
import type { TaskContext } from './task-context.js';

/** Whose objects are written anew, in the version that is stored now. */
export interface MigrateStorageArgs {
  readonly group: string;
  readonly resource: string;
}

interface Checkpoint {
  readonly next?: string;
  readonly done: number;
  /** Generation of the CRD at the start: another one may store another version. */
  readonly generation?: number;
}

/**
 * Has every object of a resource stored in the version that new ones are stored in.
 * It clears no field. Where the API server does that itself (storagemigration.k8s.io)
 * it is asked to; otherwise each object is written back as it is, and the CRD is told
 * which versions are still stored.
 */
export const migrateStorage: Task = {
  kind: 'MigrateStorage',

  check: (args) =>
    argumentProblems('MigrateStorage', args, {
      group: { type: 'text', required: true },
      resource: { type: 'text', required: true },
    }),
  async run(context) {
    const args = context.task.args as unknown as MigrateStorageArgs;
    const discovery = await context.kube.discover(context.signal);
    const resource = resourceNamed(discovery, args);
    if (!resource) return { kind: 'done', result: 'Skipped', objects: 0 };
    const migrations = discovery.find({ group: 'storagemigration.k8s.io', kind: 'StorageVersionMigration' });
    // v1alpha1 wants another spec.
    return migrations && migrations.version !== 'v1alpha1'
      ? await byTheServer(context, args, migrations)
      : await pageByPage(context, args, resource);
  },
};

async function byTheServer(
  { kube, feature, transition, signal }: TaskContext,
  { group, resource }: MigrateStorageArgs,
  migrations: DiscoveredResource,
): Promise<TaskOutcome> {
  const client = kube.resource(migrations);
  const name = `${feature.metadata.name}-${transition.id}`;
  const wanted = {
    apiVersion: `${migrations.group}/${migrations.version}`,
    kind: migrations.kind,
    metadata: { name },
    spec: { resource: { group, resource } },
  };
  const migration: KubeObject = (await client.find({ name }, signal)) ?? (await client.create(wanted, { signal }));
  const conditions = migration.status?.conditions ?? [];
  if (findCondition(conditions, 'Succeeded')?.status === 'True') return { kind: 'done' };
  const failed = findCondition(conditions, 'Failed');
  if (failed?.status === 'True') {
    const again = `kubectl delete ${migrations.plural}.${migrations.group} ${name}`;
    const message = `the API server's migration of ${resource} failed: ${failed.message}; to have it run again: ${again}`;
    return { kind: 'blocked', reason: 'MigrationFailed', message };
  }
  return { kind: 'waiting', reason: 'Migrating', message: `the API server migrates ${resource}`, retryAfterMs: 2_000 };
}

async function pageByPage(
  context: TaskContext,
  { group, resource: plural }: MigrateStorageArgs,
  resource: DiscoveredResource,
): Promise<TaskOutcome> {
  const { kube, clock, feature, task, signal } = context;
  const pace = paceOf(feature.spec);
  const bucket = new TokenBucket({ clock, perSecond: pace.qps, burst: pace.burst });
  const crds = kube.resource(CustomResourceDefinition);
  const crd = (await crds.find({ name: `${plural}.${group}` }, signal)) as KubeObject | undefined;
  let at: Checkpoint = task.checkpoint
    ? (JSON.parse(task.checkpoint) as Checkpoint)
    : { done: 0, ...(crd?.metadata.generation !== undefined && { generation: crd.metadata.generation }) };
  do {
    const page = await readPage(kube, resource, pace.pageSize, at.next, signal, undefined);
    await inParallel(page.items, pace.inFlight, async (object) => {
      const waitMs = bucket.reserve();
      if (waitMs > 0) await sleep(clock, waitMs, signal);
      await writeBack(context, resource, object);
    });
    const { next: _read, ...rest } = at;
    at = { ...rest, done: at.done + page.items.length, ...(page.continue !== undefined && { next: page.continue }) };
    if (at.next !== undefined) await context.save(JSON.stringify(at), { done: at.done, unit: plural });
  } while (at.next !== undefined);

  if (!crd) return { kind: 'done', objects: at.done };
  const current = (await crds.find({ name: crd.metadata.name ?? '' }, signal)) as KubeObject | undefined;
  if (!current || current.metadata.generation !== at.generation) {
    return {
      kind: 'waiting',
      reason: 'Retrying',
      message: 'the CRD changed meanwhile',
      checkpoint: '',
      retryAfterMs: 1_000,
    };
  }
  const stored = (current.spec.versions as { name: string; storage?: boolean }[]).find(({ storage }) => storage)?.name;
  await crds.mergeStatus(
    { name: current.metadata.name ?? '' },
    { metadata: { resourceVersion: current.metadata.resourceVersion }, status: { storedVersions: [stored] } },
    { signal },
  );
  return { kind: 'done', objects: at.done };
}

/** Writes an object back unchanged. Who was faster has had it stored anew already. */
async function writeBack({ kube, signal }: TaskContext, resource: DiscoveredResource, { metadata }: KubeObject) {
  const { name = '', namespace, uid, resourceVersion } = metadata;
  const unchanged = [
    { op: 'test', path: '/metadata/uid', value: uid },
    { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
  ] as const;
  try {
    await kube.resource(resource).json({ name, namespace }, unchanged, { signal });
  } catch (error) {
    const raced = hasReason(error, 'NotFound') || hasReason(error, 'Conflict');
    // A failed test of a JSON patch is answered with 422.
    if (!raced && !(error instanceof StatusError && error.code === 422)) throw error;
  }
}
