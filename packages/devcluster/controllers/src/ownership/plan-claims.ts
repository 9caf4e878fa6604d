import { controllerOf, type KubeObject, type LabelSelector, matchesLabels, requirementsOf } from '@slipway/kube';

/** What an owner does about objects that it might control. */
export interface ClaimPlan<T extends KubeObject> {
  /** Controlled by the owner and selected by it. */
  readonly owned: readonly T[];
  /** Selected and without a controller: to be taken over. */
  readonly adopt: readonly T[];
  /** Controlled by the owner but no longer selected: to be let go. */
  readonly release: readonly T[];
}

/**
 * Sorts `candidates`. An object with another controller is left alone, as is
 * everything when the owner itself is on its way out: then only what it already
 * controls counts.
 */
export function planClaims<T extends KubeObject>(
  owner: KubeObject,
  selector: LabelSelector,
  candidates: readonly T[],
): ClaimPlan<T> {
  const owned: T[] = [];
  const adopt: T[] = [];
  const release: T[] = [];
  const ownerLeaves = owner.metadata.deletionTimestamp !== undefined;
  const requirements = requirementsOf(selector);
  for (const candidate of candidates) {
    if (candidate.metadata.namespace !== owner.metadata.namespace) continue;
    const selected = matchesLabels(requirements, candidate.metadata.labels);
    const controller = controllerOf(candidate);
    if (controller && controller.uid === owner.metadata.uid) {
      if (selected) owned.push(candidate);
      else if (!ownerLeaves) release.push(candidate);
    } else if (!controller && selected && !ownerLeaves && !candidate.metadata.deletionTimestamp) {
      adopt.push(candidate);
    }
  }
  return { owned, adopt, release };
}

/** Whether the selector selects nothing in particular; a workload with it would take over the whole namespace. */
export function selectsEverything(selector: LabelSelector): boolean {
  return Object.keys(selector.matchLabels ?? {}).length === 0 && (selector.matchExpressions ?? []).length === 0;
}
