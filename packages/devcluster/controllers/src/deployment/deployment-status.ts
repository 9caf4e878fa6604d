import type {
  Deployment,
  DeploymentStatus,
  ReplicaSet,
  WorkloadCondition,
} from '@slipway/kube-objects/kinds/api/workloads';
import { condition, conditionOf, hasDeadline, progressing, progressReason, withCondition } from './progress.js';
import type { Generations } from './revisions.js';
import { replicasOf } from './rolling-update.js';
import { rolloutLimits } from './rollout-limits.js';

/** Something worth noting that happened to the current ReplicaSet in this round. */
export type Milestone =
  | { readonly kind: 'created' | 'found'; readonly name: string }
  | { readonly kind: 'create-failed'; readonly name: string; readonly message: string };

/**
 * Computes the status of a Deployment's rollout. Conditions that did not change keep their times.
 * @param countsTerminating whether it also says how many pods are about to go (KEP-3973)
 */
export function deploymentStatus(
  deployment: Deployment,
  { current, old }: Generations,
  milestone: Milestone | undefined,
  nowMs: number,
  countsTerminating = false,
): DeploymentStatus {
  const counts = countReplicas(deployment, current, old, countsTerminating);
  let conditions = deployment.status?.conditions ?? [];
  conditions = put(conditions, availability(deployment, counts, nowMs));
  conditions = withProgress(deployment, current, counts, conditions, milestone, nowMs);
  const failed = [...(current ? [current] : []), ...old].map((set) => conditionOf(set.status, 'ReplicaFailure'));
  const failure = failed.find((each) => each !== undefined);
  conditions = failure
    ? put(conditions, condition('ReplicaFailure', failure.status, failure.reason ?? '', failure.message ?? '', nowMs))
    : conditions.filter((each) => each.type !== 'ReplicaFailure');
  return { ...counts, ...(conditions.length > 0 && { conditions }) };
}

function countReplicas(
  deployment: Deployment,
  current: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
  countsTerminating: boolean,
): DeploymentStatus {
  const all = [...old, ...(current ? [current] : [])];
  const sum = (field: 'replicas' | 'readyReplicas' | 'availableReplicas') =>
    all.reduce((total, set) => total + (set.status?.[field] ?? 0), 0);
  const counts = {
    replicas: sum('replicas'),
    updatedReplicas: current?.status?.replicas ?? 0,
    readyReplicas: sum('readyReplicas'),
    availableReplicas: sum('availableReplicas'),
    unavailableReplicas: Math.max(0, replicasOf(all) - sum('availableReplicas')),
  };
  const collisionCount = deployment.status?.collisionCount;
  const terminatingReplicas = countsTerminating ? countTerminating(all) : undefined;
  return {
    observedGeneration: deployment.metadata.generation ?? 0,
    ...Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)),
    ...(terminatingReplicas !== undefined && { terminatingReplicas }),
    ...(collisionCount !== undefined && { collisionCount }),
  };
}

/** Of all sets together; undefined while one of them does not say. */
function countTerminating(all: readonly ReplicaSet[]): number | undefined {
  const counts = all
    .filter(({ status }) => status?.observedGeneration)
    .map(({ status }) => status?.terminatingReplicas);
  return counts.reduce<number | undefined>(
    (total, count) => (total === undefined || count === undefined ? undefined : total + count),
    0,
  );
}

function availability(deployment: Deployment, counts: DeploymentStatus, nowMs: number): WorkloadCondition {
  const needed = deployment.spec.replicas - rolloutLimits(deployment).maxUnavailable;
  return (counts.availableReplicas ?? 0) >= needed
    ? condition('Available', 'True', 'MinimumReplicasAvailable', 'Deployment has minimum availability.', nowMs)
    : condition(
        'Available',
        'False',
        'MinimumReplicasUnavailable',
        'Deployment does not have minimum availability.',
        nowMs,
      );
}

function withProgress(
  deployment: Deployment,
  current: ReplicaSet | undefined,
  counts: DeploymentStatus,
  conditions: readonly WorkloadCondition[],
  milestone: Milestone | undefined,
  nowMs: number,
): readonly WorkloadCondition[] {
  const before = conditionOf({ conditions }, 'Progressing');
  if (!hasDeadline(deployment)) return conditions.filter((each) => each.type !== 'Progressing');
  if (deployment.spec.paused) {
    if (before?.reason === progressReason.timedOut || before?.reason === progressReason.paused) return conditions;
    return put(conditions, condition('Progressing', 'Unknown', progressReason.paused, 'Deployment is paused', nowMs));
  }
  if (before?.reason === progressReason.paused) {
    return put(conditions, condition('Progressing', 'Unknown', progressReason.resumed, 'Deployment is resumed', nowMs));
  }
  if (milestone?.kind === 'create-failed') {
    const { name, message } = milestone;
    const text = `Failed to create new replica set "${name}": ${message}`;
    return put(conditions, condition('Progressing', 'False', progressReason.createFailed, text, nowMs));
  }
  if (milestone?.kind === 'created' || (milestone?.kind === 'found' && !before)) {
    const [reason, verb] =
      milestone.kind === 'created' ? [progressReason.created, 'Created new'] : [progressReason.found, 'Found new'];
    const text = `${verb} replica set "${milestone.name}"`;
    return withCondition(conditions, condition('Progressing', 'True', reason, text, nowMs));
  }
  const moved = progressing(deployment, current, counts, nowMs);
  return moved ? progressed(conditions, moved) : conditions;
}

/** Progress while still progressing only moves `lastUpdateTime`, by which the deadline counts. */
function progressed(conditions: readonly WorkloadCondition[], next: WorkloadCondition): readonly WorkloadCondition[] {
  return next.reason === progressReason.updated ? withCondition(conditions, next) : put(conditions, next);
}

/** Replaces a condition only if its status or reason changed, so that nothing is written for nothing. */
function put(conditions: readonly WorkloadCondition[], next: WorkloadCondition): readonly WorkloadCondition[] {
  const before = conditions.find((each) => each.type === next.type);
  if (before?.status === next.status && before.reason === next.reason) return conditions;
  return withCondition(conditions, next);
}
