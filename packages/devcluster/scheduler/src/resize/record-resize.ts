import { type Kube, refOf, timestamp } from '@slipway/kube';
import { type Pod, type PodCondition, podCondition, pods } from '@slipway/kube-objects/kinds/api/pods';

const type = 'PodResizePreemptionDisabled';

/** Says on a pod whether its node forbids preemption for its resize. Writes nothing when the pod says so already. */
export async function recordResizeForbidden(
  kube: Kube,
  pod: Pod,
  isForbidden: boolean,
  signal: AbortSignal,
): Promise<void> {
  if (saysSo(pod) === isForbidden) return;
  const change = (draft: Pod) => {
    if (draft.metadata.uid !== pod.metadata.uid || saysSo(draft) === isForbidden) return;
    const others = draft.status?.conditions?.filter((condition) => condition.type !== type) ?? [];
    draft.status = { ...draft.status, conditions: [...others, ...(isForbidden ? [forbidden(kube)] : [])] };
  };
  await kube.resource(pods).mutate(refOf(pod), change, { subresource: 'status', signal });
}

function saysSo(pod: Pod): boolean {
  return podCondition(pod, type)?.status === 'True';
}

function forbidden(kube: Kube): PodCondition {
  return {
    type,
    status: 'True',
    lastTransitionTime: timestamp(kube.clock.now()),
    reason: 'PreemptionDisabledByNodePolicy',
    message: 'the node disables preemption for pod resizes',
  };
}
