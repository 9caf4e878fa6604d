import { type Kube, refOf, removeFinalizer } from '@slipway/kube';
import { ifThere } from '@slipway/kube-objects/rules/disruption-target';
import { type GraphNode, ownersOf } from './owner-graph.js';

/** Takes an owner out of its dependents, which live on without it. */
export async function orphan(
  kube: Kube,
  { object: owner }: GraphNode,
  dependents: readonly GraphNode[],
  signal: AbortSignal,
): Promise<void> {
  for (const { resource, object } of dependents) {
    await ifThere(
      kube.resource(resource).mutate(
        refOf(object),
        (draft) => {
          const others = ownersOf(draft).filter(({ uid }) => uid !== owner.metadata.uid);
          if (others.length > 0) draft.metadata.ownerReferences = others;
          else delete draft.metadata.ownerReferences;
        },
        { signal },
      ),
    );
  }
}

/** Removes the finalizer by which an owner waits for garbage collection. */
export async function letGo(
  kube: Kube,
  { resource, object }: GraphNode,
  finalizer: string,
  signal: AbortSignal,
): Promise<void> {
  await ifThere(
    kube.resource(resource).mutate(
      refOf(object),
      (draft) => {
        if (draft.metadata.uid === object.metadata.uid) removeFinalizer(draft, finalizer);
      },
      { signal },
    ),
  );
}
