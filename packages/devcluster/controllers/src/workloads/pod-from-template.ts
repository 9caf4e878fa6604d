import { type KubeObject, ownerReference } from '@slipway/kube';
import type { Pod, PodTemplate } from '@slipway/kube-objects/kinds/api/pods';

/** The pod that a workload makes from a template, under its control and named after it. */
export function podFromTemplate(owner: KubeObject, { metadata = {}, spec }: PodTemplate): Pod {
  const { labels, annotations, finalizers } = metadata;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      generateName: `${owner.metadata.name}-`,
      namespace: owner.metadata.namespace ?? '',
      ...(labels && { labels: { ...labels } }),
      ...(annotations && { annotations: { ...annotations } }),
      ...(finalizers && { finalizers: [...finalizers] }),
      ownerReferences: [ownerReference(owner, { controller: true })],
    },
    spec,
  };
}
