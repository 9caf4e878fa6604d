import { type DiscoveredResource, type KubeObject, sleep, TokenBucket } from '@slipway/kube';
import type { TaskArgs } from '../api/feature.js';
import type { FeatureDefinitionSpec } from '../api/feature-definition.js';
import { reachOf } from '../api/scope.js';
import { readPage, resourceInReach } from '../references/collection.js';
import { danglingObjects } from '../references/dangling-objects.js';
import { countObjects } from './extent.js';
import { inParallel } from './in-parallel.js';
import { paceOf } from './pace.js';
import type { Task } from './task.js';
import { argumentProblems } from './task-arguments.js';
import type { TaskContext } from './task-context.js';

/** Which collection is emptied; all namespaces when none are named. */
export interface ClearCollectionArgs {
  readonly group: string;
  readonly resource: string;
  readonly namespaces?: readonly string[];
  /** Leaves what the objects own where it is. */
  readonly orphan?: boolean;
}

/** After this long an object that is still there is held by a finalizer that a user must see to. */
const patienceMs = 600_000;

/**
 * Deletes every object of a resource, one by one: for data that the next version
 * cannot read. It must run while a version that can read it is served. An object
 * that was deleted and made anew meanwhile is another one and stays until the next
 * round; the task ends when every served version of the resource is empty.
 */
export const clearCollection: Task = {
  kind: 'ClearCollection',
  destructive: true,
  check: checkArguments,
  extent: {
    async count(input) {
      const args = input.args as unknown as ClearCollectionArgs;
      const reach = reachOf(input.definition, input.feature.metadata.namespace);
      const resource = resourceInReach(await input.kube.discover(input.signal), args, reach);
      if (!resource) return { count: 0 };
      return countObjects(input, resource, ({ metadata }) => isOurs(args, metadata) && !metadata.deletionTimestamp);
    },
    changed: (checkpoint) => Number(checkpoint ?? 0),
  },
  async run(context) {
    const { kube, clock, task, signal } = context;
    const args = task.args as unknown as ClearCollectionArgs;
    const { resources } = await kube.discover(signal);
    const reach = reachOf(context.definition, context.feature.metadata.namespace);
    const versions = resources.filter(
      ({ group, plural, namespaced }) =>
        group === args.group && plural === args.resource && (reach === undefined || namespaced),
    );
    const [preferred] = versions;
    if (!preferred) return { kind: 'done', result: 'Skipped', objects: 0 };
    const found = await deleteAll(context, args, preferred);
    const deleted = Number(task.checkpoint ?? 0) + found.deleted;

    for (const version of versions) {
      const left = await objectsOf(context, args, version);
      if (left.length === 0) continue;
      const waitedMs = clock.now() - Date.parse(task.firstAttempt ?? '');
      const names = left.slice(0, 5).map(heldBy).join(', ');
      const message = `${left.length} ${args.resource} are still there in ${version.version}: ${names}`;
      const progress = { done: deleted, total: deleted + left.length, unit: args.resource };
      const hold = { message, progress, checkpoint: String(deleted) };
      return waitedMs > patienceMs && left.some(({ metadata }) => metadata.finalizers?.length)
        ? {
            kind: 'blocked',
            reason: 'Finalizers',
            ...hold,
            dangling: heldObjects(version, left, clock.now()),
            retryAfterMs: 30_000,
          }
        : { kind: 'waiting', reason: 'Deleting', ...hold, retryAfterMs: 2_000 };
    }
    return { kind: 'done', objects: deleted };
  },
};

/** What is deleted must be what the plan counts and the proof looks for: all objects, so the reference is of kind Object. */
function checkArguments(args: TaskArgs, { references = [] }: FeatureDefinitionSpec): readonly string[] {
  const problems = argumentProblems('ClearCollection', args, {
    group: { type: 'text', required: true },
    resource: { type: 'text', required: true },
    namespaces: { type: 'list' },
    orphan: { type: 'flag' },
  });
  const { group, resource } = args as unknown as ClearCollectionArgs;
  const isCounted = references.some(
    (reference) => reference.group === group && reference.resource === resource && reference.kind === 'Object',
  );
  if (problems.length > 0 || isCounted) return problems;
  return [`ClearCollection deletes all ${resource}, which is not among the references with kind Object`];
}

async function deleteAll(context: TaskContext, args: ClearCollectionArgs, resource: DiscoveredResource) {
  const { kube, clock, feature, task, signal, claim } = context;
  const { qps, burst, inFlight } = paceOf(feature.spec);
  const bucket = new TokenBucket({ clock, perSecond: qps, burst });
  const client = kube.resource(resource);
  const objects = await objectsOf(context, args, resource);
  const fresh = objects.filter(({ metadata }) => !metadata.deletionTimestamp);
  const before = Number(task.checkpoint ?? 0);
  claim(fresh, before);
  await inParallel(fresh, inFlight, async (object, index) => {
    const { name = '', namespace, uid } = object.metadata;
    const waitMs = bucket.reserve();
    if (waitMs > 0) await sleep(clock, waitMs, signal);
    claim([object], before + index);
    await client.delete(
      { name, namespace },
      {
        propagationPolicy: args.orphan ? 'Orphan' : 'Background',
        ...(uid !== undefined && { preconditions: { uid } }),
        signal,
      },
    );
  });
  return { deleted: fresh.length };
}

/** What is there now, names and metadata only: as much as one page of memory at a time allows. */
async function objectsOf(
  { kube, feature, definition, signal }: TaskContext,
  args: ClearCollectionArgs,
  resource: DiscoveredResource,
): Promise<readonly Pick<KubeObject, 'metadata'>[]> {
  const found: Pick<KubeObject, 'metadata'>[] = [];
  const { pageSize } = paceOf(feature.spec);
  const reach = reachOf(definition, feature.metadata.namespace);
  let token: string | undefined;
  do {
    const page = await readPage(kube, resource, pageSize, token, signal, reach);
    for (const { metadata } of page.items) {
      if (!isOurs(args, metadata)) continue;
      const { name, namespace, uid, creationTimestamp, deletionTimestamp, finalizers } = metadata;
      const kept = { name, namespace, uid, creationTimestamp, deletionTimestamp, finalizers };
      found.push({ metadata: kept as KubeObject['metadata'] });
    }
    token = page.continue;
  } while (token !== undefined);
  return found;
}

function heldObjects(version: DiscoveredResource, left: readonly Pick<KubeObject, 'metadata'>[], nowMs: number) {
  const held = left.filter(({ metadata }) => metadata.finalizers?.length);
  return danglingObjects(version, held, { count: left.length, nowMs });
}

function isOurs({ namespaces }: ClearCollectionArgs, { namespace = '' }: KubeObject['metadata']): boolean {
  return !namespaces || namespaces.includes(namespace);
}

function heldBy({ metadata: { namespace, name, finalizers = [] } }: Pick<KubeObject, 'metadata'>): string {
  const held = finalizers.length > 0 ? ` (held by ${finalizers.join(', ')})` : '';
  return `${namespace ? `${namespace}/` : ''}${name}${held}`;
}
