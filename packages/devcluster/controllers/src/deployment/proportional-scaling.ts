import type { Deployment, ReplicaSet } from '@slipway/kube-objects/kinds/api/workloads';
import { olderFirst } from '../workloads/older-first.js';
import { compareRevisions, desiredReplicasAnnotation, type Generations, maxReplicasAnnotation } from './revisions.js';
import { replicasOf, type Scale } from './rolling-update.js';
import { rolloutLimits } from './rollout-limits.js';

/**
 * Whether replicas of the Deployment changed since a set with pods was last scaled.
 * With Recreate and several such sets that does not count: all but the current one are about to go anyway.
 */
export function isScaled(deployment: Deployment, { current, old }: Generations): boolean {
  const active = [...old, ...(current ? [current] : [])].filter((set) => set.spec.replicas > 0);
  if (deployment.spec.strategy.type === 'Recreate' && active.length > 1) return false;
  return active.some(({ metadata }) => {
    const noted = metadata.annotations?.[desiredReplicasAnnotation];
    return noted !== undefined && Number(noted) !== deployment.spec.replicas;
  });
}

/**
 * Follows a change of the Deployment's replicas outside of a rollout's own moves. With one
 * set in use it gets all of them. In the middle of a rolling update every set in use
 * gets its share, so that a bad version cannot take over just because the
 * Deployment grew; what rounding leaves goes to the largest.
 */
export function planScaling(deployment: Deployment, found: Generations): readonly Scale[] {
  const { current, old } = found;
  const sole = soleSet(found);
  if (sole) return [{ set: sole, replicas: deployment.spec.replicas }];
  if (current && isSaturated(deployment, current)) {
    return old.filter((set) => set.spec.replicas > 0).map((set) => ({ set, replicas: 0 }));
  }
  if (deployment.spec.strategy.type !== 'RollingUpdate') return [];
  return spread(
    deployment,
    [...(current ? [current] : []), ...old].filter((set) => set.spec.replicas > 0),
  );
}

/** The only set with pods; with none at all, the current or else the newest one. */
function soleSet({ current, old }: Generations): ReplicaSet | undefined {
  const active = [...old, ...(current ? [current] : [])].filter((set) => set.spec.replicas > 0);
  if (active.length === 1) return active[0];
  if (active.length > 1) return undefined;
  return current ?? [...old].sort((a, b) => compareRevisions(b, a) || olderFirst(b, a))[0];
}

function isSaturated(deployment: Deployment, current: ReplicaSet): boolean {
  const { replicas } = deployment.spec;
  return (
    Number(current.metadata.annotations?.[desiredReplicasAnnotation]) === replicas &&
    current.spec.replicas === replicas &&
    (current.status?.availableReplicas ?? 0) === replicas
  );
}

function spread(deployment: Deployment, sets: readonly ReplicaSet[]): readonly Scale[] {
  const { replicas } = deployment.spec;
  const allowed = replicas > 0 ? replicas + rolloutLimits(deployment).maxSurge : 0;
  const toAdd = allowed - replicasOf(sets);
  const bySize = [...sets].sort(
    (a, b) => b.spec.replicas - a.spec.replicas || (toAdd > 0 ? olderFirst(b, a) : olderFirst(a, b)),
  );
  let added = 0;
  const scales = bySize.map((set) => {
    const left = toAdd - added;
    const fair = fairChange(deployment, set, allowed);
    const change = toAdd > 0 ? Math.max(0, Math.min(fair, left)) : Math.min(0, Math.max(fair, left));
    added += change;
    return { set, replicas: set.spec.replicas + change };
  });
  return scales.map((scale, index) =>
    index === 0 ? { ...scale, replicas: Math.max(0, scale.replicas + toAdd - added) } : scale,
  );
}

/** By how much the set must change to keep its share of all replicas. */
function fairChange(deployment: Deployment, set: ReplicaSet, allowed: number): number {
  if (deployment.spec.replicas === 0) return -set.spec.replicas;
  const allBefore = Number(set.metadata.annotations?.[maxReplicasAnnotation] ?? deployment.status?.replicas ?? 0);
  if (!(allBefore > 0)) return 0;
  return Math.round((set.spec.replicas * allowed) / allBefore) - set.spec.replicas;
}
