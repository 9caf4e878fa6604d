import { isStatus, type Kube, pathOf, StatusError } from '@slipway/kube';
import { type Pod, pods } from '@slipway/kube-objects/kinds/api/pods';

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
