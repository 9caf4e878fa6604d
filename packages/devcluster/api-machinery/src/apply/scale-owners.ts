import { difference, hasPath, isEmpty, setOf } from './field-set.js';
import { identityOf, type Managers, type Owned } from './managers.js';

/** Where a scale has its number of replicas. */
const replicas = ['f:spec', 'f:replicas'];
export const scaleVersion = 'autoscaling/v1';

/**
 * Where the objects of a kind have their number of replicas, by apiVersion: a
 * path of field elements, or null for a version that cannot be scaled.
 * Undefined for a version that there is not.
 */
export type ReplicasAt = (apiVersion: string) => readonly string[] | null | undefined;

/** Returns the owners of an object's replicas as owners of its scale. */
export function ownersOfScale(managers: Managers, replicasAt: ReplicasAt): Managers {
  const owners = new Map<string, Owned>();
  for (const owned of managers.values()) {
    const path = replicasAt(owned.apiVersion);
    if (!path || !hasPath(owned.fields, path)) continue;
    const owner = { ...owned, apiVersion: scaleVersion, fields: setOf(replicas) };
    owners.set(identityOf(owner, scaleVersion), owner);
  }
  return owners;
}

/**
 * Returns the field owners of an object after its scale was written: managers that no
 * longer own the scale lose the replicas, managers that own it now gain them.
 *
 * @param apiVersion the version of the object through which it was scaled
 */
export function ownersAfterScale(
  managers: Managers,
  scale: Managers,
  replicasAt: ReplicasAt,
  apiVersion: string,
): Managers {
  const owners = new Map<string, Owned>();
  const left = new Map(scale);
  for (const [identity, owned] of managers) {
    const path = replicasAt(owned.apiVersion);
    if (path === undefined) continue;
    if (path === null || !hasPath(owned.fields, path)) {
      owners.set(identity, owned);
      continue;
    }
    // An owner that does not apply is known by its version, so that it loses the replicas to the scale.
    if (left.delete(identity)) {
      owners.set(identity, owned);
      continue;
    }
    const fields = difference(owned.fields, setOf(path));
    if (!isEmpty(fields)) owners.set(identity, { ...owned, fields });
  }
  const path = replicasAt(apiVersion);
  for (const [identity, owned] of left) {
    if (!path || !hasPath(owned.fields, replicas)) continue;
    // When a scale was written is not noted; the real server does not either.
    const { time: _, ...owner } = owned;
    owners.set(identity, { ...owner, apiVersion, fields: setOf(path) });
  }
  return owners;
}
