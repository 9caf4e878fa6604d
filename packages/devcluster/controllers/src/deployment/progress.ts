import { timestamp } from '@slipway/kube';
import type {
  Deployment,
  DeploymentStatus,
  ReplicaSet,
  WorkloadCondition,
} from '@slipway/kube-objects/kinds/api/workloads';

/** Reasons of the condition Progressing, as kubectl knows them. */
export const progressReason = {
  created: 'NewReplicaSetCreated',
  createFailed: 'ReplicaSetCreateError',
  found: 'FoundNewReplicaSet',
  updated: 'ReplicaSetUpdated',
  available: 'NewReplicaSetAvailable',
  timedOut: 'ProgressDeadlineExceeded',
  paused: 'DeploymentPaused',
  resumed: 'DeploymentResumed',
} as const;

/** All replicas are of the current template and available, and none of another is left. */
export function isComplete(deployment: Deployment, status: DeploymentStatus): boolean {
  const { replicas } = deployment.spec;
  return (
    (status.updatedReplicas ?? 0) === replicas &&
    (status.replicas ?? 0) === replicas &&
    (status.availableReplicas ?? 0) === replicas &&
    (status.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  );
}

/** The condition Progressing after the counts became `status`; undefined when it stays as it is. */
export function progressing(
  deployment: Deployment,
  current: ReplicaSet | undefined,
  status: DeploymentStatus,
  nowMs: number,
): WorkloadCondition | undefined {
  const before = conditionOf(deployment.status, 'Progressing');
  const wasDone =
    (status.replicas ?? 0) === (status.updatedReplicas ?? 0) && before?.reason === progressReason.available;
  if (wasDone) return undefined;
  const subject = current ? `ReplicaSet "${current.metadata.name}"` : `Deployment "${deployment.metadata.name}"`;
  if (isComplete(deployment, status)) {
    return condition('Progressing', 'True', progressReason.available, `${subject} has successfully progressed.`, nowMs);
  }
  if (hasMoved(deployment.status ?? {}, status)) {
    return condition('Progressing', 'True', progressReason.updated, `${subject} is progressing.`, nowMs);
  }
  if (isOverdue(deployment, nowMs)) {
    return condition('Progressing', 'False', progressReason.timedOut, `${subject} has timed out progressing.`, nowMs);
  }
  return undefined;
}

/** Milliseconds until the progress deadline passes; undefined when there is nothing to wait for. */
export function deadlineInMs(deployment: Deployment, status: DeploymentStatus, nowMs: number): number | undefined {
  const seconds = deployment.spec.progressDeadlineSeconds;
  const since = conditionOf(status, 'Progressing');
  if (seconds === undefined || isEndless(seconds) || deployment.spec.paused || !since?.lastUpdateTime) return undefined;
  // Once all was available a rollout is over: what becomes unavailable later has no deadline.
  if (since.reason === progressReason.timedOut || since.reason === progressReason.available) return undefined;
  if (isComplete(deployment, status)) return undefined;
  // Times have whole seconds: one more, so that the deadline has passed for certain.
  return Math.max(0, Date.parse(since.lastUpdateTime) + (seconds + 1) * 1000 - nowMs);
}

/** Whether this Deployment wants to be told that it is stuck. */
export function hasDeadline(deployment: Deployment): boolean {
  const seconds = deployment.spec.progressDeadlineSeconds;
  return seconds !== undefined && !isEndless(seconds);
}

/** A condition dated now. */
export function condition(
  type: string,
  status: WorkloadCondition['status'],
  reason: string,
  message: string,
  nowMs: number,
): WorkloadCondition {
  const now = timestamp(nowMs);
  return { type, status, reason, message, lastUpdateTime: now, lastTransitionTime: now };
}

/** The condition of this type, if there is one. */
export function conditionOf(
  status: { readonly conditions?: readonly WorkloadCondition[] } | undefined,
  type: string,
): WorkloadCondition | undefined {
  return status?.conditions?.find((each) => each.type === type);
}

/** `conditions` with this one in place of its predecessor; `lastTransitionTime` moves only with the status. */
export function withCondition(
  conditions: readonly WorkloadCondition[],
  next: WorkloadCondition,
): readonly WorkloadCondition[] {
  const before = conditions.find((each) => each.type === next.type);
  const kept =
    before?.status === next.status && before.lastTransitionTime
      ? { ...next, lastTransitionTime: before.lastTransitionTime }
      : next;
  return [...conditions.filter((each) => each.type !== next.type), kept];
}

/** The largest 32-bit number means "never". */
function isEndless(seconds: number): boolean {
  return seconds >= 2_147_483_647;
}

function hasMoved(before: DeploymentStatus, after: DeploymentStatus): boolean {
  const old = (status: DeploymentStatus) => (status.replicas ?? 0) - (status.updatedReplicas ?? 0);
  return (
    (after.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
    old(after) < old(before) ||
    (after.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (after.availableReplicas ?? 0) > (before.availableReplicas ?? 0)
  );
}

function isOverdue(deployment: Deployment, nowMs: number): boolean {
  const before = conditionOf(deployment.status, 'Progressing');
  if (!before || before.reason === progressReason.available) return false;
  if (before.reason === progressReason.timedOut) return true;
  const seconds = deployment.spec.progressDeadlineSeconds ?? 0;
  const since = before.lastUpdateTime ?? before.lastTransitionTime;
  return since !== undefined && Date.parse(since) + seconds * 1000 < nowMs;
}
