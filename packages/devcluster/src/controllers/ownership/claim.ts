import { controllerOf, type KubeObject, type LabelSelector, ownerReference, type ResourceClient } from '@slipway/kube';
import { refOf } from '../api/object-ref.js';
import type { RecentWrites } from '../recent-writes.js';
import { planClaims } from './plan-claims.js';

export interface ClaimDeps<O extends KubeObject, T extends KubeObject> {
  readonly owners: ResourceClient<O>;
  readonly objects: ResourceClient<T>;
  readonly recent: RecentWrites<T>;
}

/**
 * Takes over what is nobody's and selected, lets go of what is ours and no longer
 * selected, and returns what the owner controls. Before taking anything over it asks the
 * server whether the owner is still there: a cache may show one that is gone.
 */
export async function claim<O extends KubeObject, T extends KubeObject>(
  { owners, objects, recent }: ClaimDeps<O, T>,
  owner: O,
  selector: LabelSelector,
  candidates: readonly T[],
  signal: AbortSignal,
): Promise<readonly T[]> {
  const plan = planClaims(owner, selector, candidates);
  if (plan.adopt.length === 0 && plan.release.length === 0) return plan.owned;

  for (const object of plan.release) {
    recent.wrote(
      await objects.mutate(refOf(object), (draft) => {
        if (draft.metadata.uid !== object.metadata.uid) return;
        const others = draft.metadata.ownerReferences?.filter(({ uid }) => uid !== owner.metadata.uid) ?? [];
        if (others.length > 0) draft.metadata.ownerReferences = others;
        else delete draft.metadata.ownerReferences;
      }),
    );
  }
  if (plan.adopt.length === 0) return plan.owned;
  const fresh = await owners.find(refOf(owner), signal);
  if (fresh?.metadata.uid !== owner.metadata.uid || fresh?.metadata.deletionTimestamp) return plan.owned;
  const adopted: T[] = [];
  for (const object of plan.adopt) {
    const taken = await objects.mutate(refOf(object), (draft) => {
      if (draft.metadata.uid !== object.metadata.uid || controllerOf(draft) || draft.metadata.deletionTimestamp) return;
      const others = draft.metadata.ownerReferences ?? [];
      draft.metadata.ownerReferences = [...others, ownerReference(owner, { controller: true })];
    });
    recent.wrote(taken);
    if (controllerOf(taken)?.uid === owner.metadata.uid) adopted.push(taken);
  }
  return [...plan.owned, ...adopted];
}
