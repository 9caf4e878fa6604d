import { type Kube, refOf, timestamp } from '@slipway/kube';
import { type Pod, type PodStatus, podCondition, pods } from '@slipway/kube-objects/kinds/api/pods';

/** What the scheduler says on a pod that it has no node for. */
export interface Unschedulable {
  /** `SchedulerError` when no decision could be made. */
  readonly reason: 'Unschedulable' | 'SchedulerError';
  readonly message: string;
  /** The node on which room is being made; '' takes back what was said before, absent leaves it. */
  readonly nominatedNodeName?: string;
}

/** Writes it down. Writes nothing when the pod says so already, or has a node. @throws StatusError */
export async function recordUnschedulable(
  kube: Kube,
  pod: Pod,
  outcome: Unschedulable,
  signal: AbortSignal,
): Promise<void> {
  if (saysSo(pod, outcome)) return;
  await kube.resource(pods).mutate(
    refOf(pod),
    (draft) => {
      if (draft.metadata.uid !== pod.metadata.uid || draft.spec.nodeName || saysSo(draft, outcome)) return;
      draft.status = statusWith(draft, outcome, kube.clock.now());
    },
    { subresource: 'status', signal },
  );
}

/** Clears the nomination of a pod: a pod of higher priority took the room. */
export async function clearNomination(kube: Kube, pod: Pod, signal: AbortSignal): Promise<void> {
  const clear = (draft: Pod) => {
    const { nominatedNodeName: _, ...status } = draft.status ?? {};
    if (draft.metadata.uid === pod.metadata.uid) draft.status = status;
  };
  await kube.resource(pods).mutate(refOf(pod), clear, { subresource: 'status', signal });
}

function saysSo(pod: Pod, { reason, message, nominatedNodeName }: Unschedulable): boolean {
  const condition = podCondition(pod, 'PodScheduled');
  const isNominated =
    (pod.status?.nominatedNodeName ?? '') === (nominatedNodeName ?? pod.status?.nominatedNodeName ?? '');
  return condition?.status === 'False' && condition.reason === reason && condition.message === message && isNominated;
}

function statusWith(pod: Pod, { reason, message, nominatedNodeName }: Unschedulable, nowMs: number): PodStatus {
  const { nominatedNodeName: before, ...status } = pod.status ?? {};
  const nominated = nominatedNodeName ?? before;
  const known = podCondition(pod, 'PodScheduled');
  const condition = {
    type: 'PodScheduled',
    status: 'False' as const,
    lastProbeTime: null,
    lastTransitionTime: (known?.status === 'False' && known.lastTransitionTime) || timestamp(nowMs),
    reason,
    message,
  };
  const others = status.conditions?.filter(({ type }) => type !== 'PodScheduled') ?? [];
  return { ...status, conditions: [...others, condition], ...(nominated && { nominatedNodeName: nominated }) };
}
