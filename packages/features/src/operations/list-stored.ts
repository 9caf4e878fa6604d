import { createHash } from 'node:crypto';
import { type DiscoveredResource, hasReason, type Kube } from '@slipway/kube';
import type { FeatureDefinitionSpec } from '../api/feature-definition.js';
import { tasksOnTheWay, type VersionStep } from '../lifecycle/version-tasks.js';
import { type ApiVersions, isMoving, versionsOf } from '../releases/api-versions.js';
import type { StoredKind } from '../upgrade/upgrade-view.js';

/**
 * Counts the objects of every kind whose versions come and go, and of those that a definition empties on this way.
 * One listing of a single object for each kind: the server says how many more there are.
 */
export async function listStored(
  kube: Kube,
  apiVersions: ApiVersions,
  way: VersionStep,
  definitions: readonly FeatureDefinitionSpec[],
  signal?: AbortSignal,
): Promise<readonly StoredKind[]> {
  const emptied = definitions.flatMap((definition) =>
    tasksOnTheWay(definition, way).flatMap(({ kind, args }) => (kind === 'ClearCollection' && args ? [args] : [])),
  );
  const { resources } = await kube.discover(signal);
  const kinds = new Map<string, [DiscoveredResource, ...DiscoveredResource[]]>();
  for (const resource of resources) {
    const { group, kind, plural, verbs } = resource;
    const isEmptied = emptied.some((args) => args.group === group && args.resource === plural);
    if (!verbs.includes('list') || !(isEmptied || isMoving(apiVersions, group, kind))) continue;
    const key = `${plural}.${group}`;
    kinds.set(key, [...(kinds.get(key) ?? []), resource] as [DiscoveredResource, ...DiscoveredResource[]]);
  }
  return Promise.all(
    [...kinds.values()].map((versions) => storedKind(kube, versions, versionsOf(apiVersions, versions[0]), signal)),
  );
}

async function storedKind(
  kube: Kube,
  versions: readonly [DiscoveredResource, ...DiscoveredResource[]],
  known: readonly string[],
  signal: AbortSignal | undefined,
): Promise<StoredKind> {
  const [preferred] = versions;
  const { group, kind, plural } = preferred;
  const [objects, storedAs] = await Promise.all([
    countObjects(kube, preferred, signal),
    storageVersion(kube, versions, known, signal),
  ]);
  return {
    group,
    kind,
    resource: plural,
    versions: versions.map(({ version }) => version),
    ...(storedAs !== undefined && { storedAs }),
    ...(objects !== undefined && { objects }),
  };
}

/** Undefined when this account may not list them. */
async function countObjects(
  kube: Kube,
  resource: DiscoveredResource,
  signal?: AbortSignal,
): Promise<number | undefined> {
  try {
    const { items, remaining = 0 } = await kube.resource(resource).list({ limit: 1, signal });
    return items.length + remaining;
  } catch (error) {
    if (hasReason(error, 'Forbidden')) return undefined;
    throw error;
  }
}

/**
 * The version that writes are stored in, whether or not it is served. The server tells it by a hash of its name: the first eight bytes of
 * SHA-256 over `group/version/kind`, in base64 (`StorageVersionHash` of the API machinery's discovery).
 */
async function storageVersion(
  kube: Kube,
  [{ group, version, plural, kind }, ...others]: readonly [DiscoveredResource, ...DiscoveredResource[]],
  known: readonly string[],
  signal?: AbortSignal,
): Promise<string | undefined> {
  const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const { body } = await kube.transport.request({ method: 'GET', path, ...(signal && { signal }) });
  const { resources = [] } = (body ?? {}) as { resources?: readonly { name?: string; storageVersionHash?: string }[] };
  const told = resources.find(({ name }) => name === plural)?.storageVersionHash;
  const candidates = [version, ...others.map((other) => other.version), ...known];
  return candidates.find((each) => told === hashOf(`${group}/${each}/${kind}`));
}

function hashOf(name: string): string {
  return createHash('sha256').update(name).digest().subarray(0, 8).toString('base64');
}
