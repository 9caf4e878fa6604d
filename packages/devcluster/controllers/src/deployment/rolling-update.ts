import type { Deployment, ReplicaSet } from '@slipway/kube-objects/kinds/api/workloads';
import type { Generations } from './revisions.js';
import { rolloutLimits } from './rollout-limits.js';

/** One ReplicaSet gets another number of replicas. */
export interface Scale {
  readonly set: ReplicaSet;
  readonly replicas: number;
}

/** Replicas of the current ReplicaSet as far as surge allows now. `existing` = replicas of all sets. */
export function currentSetTarget(deployment: Deployment, current: number, existing: number): number {
  const { replicas, strategy } = deployment.spec;
  if (current >= replicas || strategy.type === 'Recreate') return replicas;
  const room = replicas + rolloutLimits(deployment).maxSurge - existing;
  return current + Math.max(0, Math.min(room, replicas - current));
}

/**
 * The next move of a rolling update: the current set grows or shrinks towards its
 * target, or else old sets make way. Never both, since the second depends on the first.
 *
 * Old pods that are not available go first; they are missing already. Available
 * ones follow only as far as `replicas - maxUnavailable` stay available.
 */
export function planRollingUpdate(
  deployment: Deployment,
  { current, old }: Generations & { readonly current: ReplicaSet },
): readonly Scale[] {
  const existing = replicasOf([current, ...old]);
  const target = currentSetTarget(deployment, current.spec.replicas, existing);
  if (target !== current.spec.replicas) return [{ set: current, replicas: target }];

  const minAvailable = deployment.spec.replicas - rolloutLimits(deployment).maxUnavailable;
  const currentMissing = current.spec.replicas - (current.status?.availableReplicas ?? 0);
  const mayGo = existing - minAvailable - currentMissing;
  if (replicasOf(old) === 0 || mayGo <= 0) return [];

  const withoutUnhealthy = shrink(old, mayGo, (set) => set.spec.replicas - availableOf(set));
  const available = [current, ...old].reduce((sum, set) => sum + availableOf(set), 0);
  const healthyMayGo = Math.max(0, available - minAvailable);
  const after = shrink(withoutUnhealthy, healthyMayGo, (set) => set.spec.replicas);
  return after.flatMap((set, index) => {
    const before = old[index];
    return before && before.spec.replicas !== set.spec.replicas ? [{ set: before, replicas: set.spec.replicas }] : [];
  });
}

/** Sum of the replicas asked for. */
export function replicasOf(sets: readonly ReplicaSet[]): number {
  return sets.reduce((sum, set) => sum + set.spec.replicas, 0);
}

/** What stays available: a set that shrinks still counts for a while those that it is about to remove. */
function availableOf(set: ReplicaSet): number {
  return Math.min(set.spec.replicas, set.status?.availableReplicas ?? 0);
}

/** Takes up to `total` replicas away, from the first set on, at most `share` of each. */
function shrink(sets: readonly ReplicaSet[], total: number, share: (set: ReplicaSet) => number): readonly ReplicaSet[] {
  let left = total;
  return sets.map((set) => {
    const taken = Math.max(0, Math.min(left, share(set), set.spec.replicas));
    left -= taken;
    return taken === 0 ? set : { ...set, spec: { ...set.spec, replicas: set.spec.replicas - taken } };
  });
}
