import { isStatus, type Kube, pathOf, StatusError, timestamp } from '@slipway/kube';
import { type Pod, type PodStatus, podCondition, pods } from '../controllers/api/pods.js';

/** Gives a pod its node. @throws StatusError when the server refuses, Conflict when the pod has a node already. */
export async function bindPod(kube: Kube, pod: Pod, nodeName: string, signal: AbortSignal): Promise<void> {
  const { name = '', namespace = '', uid = '' } = pod.metadata;
  const { status, body } = await kube.transport.request({
    method: 'POST',
    path: pathOf(pods, namespace, name, 'binding'),
    body: {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name, namespace, uid },
      target: { apiVersion: 'v1', kind: 'Node', name: nodeName },
    },
    signal,
  });
  if (status < 300) return;
  const refusal = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code: status } as const;
  throw new StatusError(isStatus(body) ? body : refusal);
}

/** Says on the pod why it has no node. Writes nothing when the pod says so already. */
export async function recordUnschedulable(kube: Kube, pod: Pod, message: string, signal: AbortSignal): Promise<void> {
  const before = podCondition(pod, 'PodScheduled');
  if (before?.status === 'False' && before.reason === 'Unschedulable' && before.message === message) return;
  const since = before?.status === 'False' && before.lastTransitionTime;
  const condition = {
    type: 'PodScheduled',
    status: 'False' as const,
    lastProbeTime: null,
    lastTransitionTime: since || timestamp(kube.clock.now()),
    reason: 'Unschedulable',
    message,
  };
  const others = pod.status?.conditions?.filter(({ type }) => type !== 'PodScheduled') ?? [];
  const status: PodStatus = { ...pod.status, conditions: [...others, condition] };
  await kube.resource(pods).replaceStatus({ ...pod, status }, { signal });
}
