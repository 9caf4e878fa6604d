import { hasReason, type Kube, type ObjectRef, timestamp } from '@slipway/kube';
import { isFinished, type Pod, type PodCondition, pods } from '../kinds/api/pods.js';

/** Why a pod is taken away that did nothing wrong: workloads may count it differently from a failure. */
export interface DisruptionCause {
  readonly reason:
    | 'DeletionByTaintManager'
    | 'DeletionByDeviceTaintManager'
    | 'DeletionByPodGC'
    | 'PreemptionByScheduler';
  readonly message: string;
  /** Whether the pod has failed by this; otherwise its kubelet will say how it ended. */
  readonly fails: boolean;
}

/** Notes on a pod that it is about to be deleted, and why. Does nothing when another has taken its place. */
export async function markDisrupted(
  kube: Kube,
  ref: ObjectRef,
  uid: string,
  { reason, message, fails }: DisruptionCause,
  signal: AbortSignal,
): Promise<void> {
  const nowMs = kube.clock.now();
  const change = (pod: Pod) => {
    if (pod.metadata.uid !== uid) return;
    const { status = {} } = pod;
    const failed = fails && !isFinished(pod) && { phase: 'Failed' as const };
    const conditions = withTarget(status.conditions ?? [], reason, message, nowMs);
    pod.status = { ...status, ...failed, conditions };
  };
  await ifThere(kube.resource(pods).mutate(ref, change, { subresource: 'status', signal }));
}

function withTarget(
  conditions: readonly PodCondition[],
  reason: string,
  message: string,
  nowMs: number,
): readonly PodCondition[] {
  const before = conditions.find(({ type }) => type === 'DisruptionTarget');
  if (before?.status === 'True' && before.reason === reason) return conditions;
  const condition: PodCondition = {
    type: 'DisruptionTarget',
    status: 'True',
    lastTransitionTime: timestamp(nowMs),
    reason,
    message,
  };
  return [...conditions.filter(({ type }) => type !== 'DisruptionTarget'), condition];
}

/** Waits for a call, and ignores that its object is gone. */
export async function ifThere(done: Promise<unknown>): Promise<void> {
  try {
    await done;
  } catch (error) {
    if (!hasReason(error, 'NotFound')) throw error;
  }
}
