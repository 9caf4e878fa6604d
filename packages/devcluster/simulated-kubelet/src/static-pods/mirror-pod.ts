import { createHash } from 'node:crypto';
import type { Pod } from '@slipway/kube-objects/kinds/api/pods';

/** A pod that a kubelet has from a file of its own rather than from the API server. */
export type StaticPod = Pick<Pod, 'metadata' | 'spec'>;

/**
 * Returns the mirror of a static pod: an API object on its node, named after both, and marked as a mirror of the
 * kubelet's pod.
 */
export function mirrorPod(
  { metadata, spec }: StaticPod,
  node: { readonly name: string; readonly uid: string },
  now: string,
): Pod {
  const { name, namespace = 'default', labels, annotations } = metadata;
  const hash = createHash('md5').update(JSON.stringify({ metadata, spec })).digest('hex');
  const config = {
    'kubernetes.io/config.hash': hash,
    'kubernetes.io/config.mirror': hash,
    'kubernetes.io/config.seen': now,
    'kubernetes.io/config.source': 'file',
  };
  const owner = { apiVersion: 'v1', kind: 'Node', name: node.name, uid: node.uid, controller: true };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `${name}-${node.name}`,
      namespace,
      ...(labels && { labels }),
      annotations: { ...annotations, ...config },
      ownerReferences: [owner],
    },
    // Nothing drives a static pod from its node.
    spec: { ...spec, nodeName: node.name, tolerations: [{ operator: 'Exists', effect: 'NoExecute' }] },
  };
}
