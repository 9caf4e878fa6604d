import { isFinished, type Pod } from '@slipway/kube-objects/kinds/api/pods';
import type { Deployment, ReplicaSet } from '@slipway/kube-objects/kinds/api/workloads';
import { isComplete } from './progress.js';
import { isScaled, planScaling } from './proportional-scaling.js';
import {
  currentAnnotations,
  currentRevision,
  expiredHistory,
  type Generations,
  newReplicaSet,
  scaleAnnotations,
} from './revisions.js';
import { currentSetTarget, planRollingUpdate, replicasOf, type Scale } from './rolling-update.js';

/** One thing to do about a ReplicaSet. */
export type Action =
  | { readonly kind: 'create'; readonly set: ReplicaSet }
  /** Brings annotations and `minReadySeconds` of the current set in step with the Deployment. */
  | { readonly kind: 'align'; readonly set: ReplicaSet; readonly annotations: Readonly<Record<string, string>> }
  | ({ readonly kind: 'scale' } & Scale)
  | { readonly kind: 'delete'; readonly set: ReplicaSet };

export interface DeploymentPlan {
  readonly actions: readonly Action[];
  /** The revision of the current ReplicaSet, to be noted on the Deployment; undefined while there is none. */
  readonly revision: bigint | undefined;
}

/**
 * Decides the next step of a Deployment. `pods` are those of its ReplicaSets.
 *
 * A new template means a new ReplicaSet, except while the Deployment is paused or is being scaled; pods only ever
 * change through the replicas of ReplicaSets.
 */
export function planDeployment(deployment: Deployment, found: Generations, pods: readonly Pod[]): DeploymentPlan {
  const revision = currentRevision(found);
  const align = found.current ? alignment(deployment, found.current, revision) : [];
  const steady = found.current ? revision : undefined;
  if (deployment.spec.paused || isScaled(deployment, found)) {
    const cleanup = deployment.spec.paused ? expired(deployment, found) : [];
    return {
      actions: [...align, ...scalings(deployment, planScaling(deployment, found)), ...cleanup],
      revision: steady,
    };
  }
  if (deployment.spec.strategy.type === 'Recreate' && oldPodsRemain(found, pods)) {
    const emptied = found.old.filter((set) => set.spec.replicas > 0).map((set) => ({ set, replicas: 0 }));
    return { actions: [...align, ...changes(emptied)], revision: steady };
  }
  if (!found.current) {
    const replicas = currentSetTarget(deployment, 0, replicasOf(found.old));
    return { actions: [{ kind: 'create', set: newReplicaSet(deployment, revision, replicas) }], revision };
  }
  const moves = planRollingUpdate(deployment, { ...found, current: found.current });
  const done = moves.length === 0 && isComplete(deployment, deployment.status ?? {});
  return { actions: [...align, ...changes(moves), ...(done ? expired(deployment, found) : [])], revision };
}

function changes(scales: readonly Scale[]): readonly Action[] {
  return scales
    .filter(({ set, replicas }) => set.spec.replicas !== replicas)
    .map((scale) => ({ kind: 'scale' as const, ...scale }));
}

/** A set that keeps its size still notes the new scale: by that note a change of scale is known to be dealt with. */
function scalings(deployment: Deployment, scales: readonly Scale[]): readonly Action[] {
  const notes = Object.entries(scaleAnnotations(deployment));
  const isNoted = ({ metadata }: ReplicaSet) => notes.every(([name, value]) => metadata.annotations?.[name] === value);
  return scales
    .filter(({ set, replicas }) => set.spec.replicas !== replicas || !isNoted(set))
    .map((scale) => ({ kind: 'scale' as const, ...scale }));
}

function expired(deployment: Deployment, { old }: Generations): readonly Action[] {
  return expiredHistory(deployment, old).map((set) => ({ kind: 'delete' as const, set }));
}

function alignment(deployment: Deployment, set: ReplicaSet, revision: bigint): readonly Action[] {
  const annotations = currentAnnotations(deployment, set, revision);
  const sameDelay = (deployment.spec.minReadySeconds ?? 0) === (set.spec.minReadySeconds ?? 0);
  if (!annotations && sameDelay) return [];
  return [{ kind: 'align', set, annotations: annotations ?? set.metadata.annotations ?? {} }];
}

function oldPodsRemain({ old }: Generations, pods: readonly Pod[]): boolean {
  if (replicasOf(old) > 0) return true;
  const oldUids = new Set(old.map((set) => set.metadata.uid));
  return pods.some(
    (pod) =>
      !isFinished(pod) && pod.metadata.ownerReferences?.some(({ controller, uid }) => controller && oldUids.has(uid)),
  );
}
