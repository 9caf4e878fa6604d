import {
  hasReason,
  type KubeObject,
  type LabelSelector,
  type OwnerReference,
  ownerReference,
  type ResourceClient,
  refOf,
} from '@slipway/kube';
import type { RecordedClient } from '../workloads/recorded-client.js';
import { planClaims } from './plan-claims.js';

export interface ClaimDeps<O extends KubeObject, T extends KubeObject> {
  readonly owners: ResourceClient<O>;
  readonly objects: RecordedClient<T>;
}

/**
 * Takes over what is selected and has no controller, lets go of what is ours and no longer
 * selected, and returns what the owner controls. Before taking anything over it asks the
 * server whether the owner is still there: a cache may show one that is gone.
 * @throws StatusError with reason Conflict when an object changed since it was seen
 */
export async function claim<O extends KubeObject, T extends KubeObject>(
  { owners, objects }: ClaimDeps<O, T>,
  owner: O,
  selector: LabelSelector,
  candidates: readonly T[],
  signal: AbortSignal,
): Promise<readonly T[]> {
  const plan = planClaims(owner, selector, candidates);
  if (plan.adopt.length === 0 && plan.release.length === 0) return plan.owned;

  for (const object of plan.release) {
    await own(
      object,
      (object.metadata.ownerReferences ?? []).filter(({ uid }) => uid !== owner.metadata.uid),
    );
  }
  if (plan.adopt.length === 0) return plan.owned;
  const fresh = await owners.find(refOf(owner), signal);
  if (fresh?.metadata.uid !== owner.metadata.uid || fresh?.metadata.deletionTimestamp) return plan.owned;
  const adopted: T[] = [];
  for (const object of plan.adopt) {
    const others = object.metadata.ownerReferences ?? [];
    const taken = await own(object, [...others, ownerReference(owner, { controller: true })]);
    if (taken) adopted.push(taken);
  }
  return [...plan.owned, ...adopted];

  /** Writes who owns an object, unless it changed since it was seen or is gone. Not every controller may read what it owns. */
  async function own(object: T, ownerReferences: readonly OwnerReference[]): Promise<T | undefined> {
    const { uid, resourceVersion } = object.metadata;
    const patch = { metadata: { uid, resourceVersion, ownerReferences } };
    try {
      return await objects.merge(refOf(object), patch, signal);
    } catch (error) {
      if (hasReason(error, 'NotFound')) return undefined;
      throw error;
    }
  }
}
