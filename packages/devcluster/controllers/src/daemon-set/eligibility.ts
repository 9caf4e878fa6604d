import type { DaemonSet } from '@slipway/kube-objects/kinds/api/daemon-sets';
import type { Node } from '@slipway/kube-objects/kinds/api/nodes';
import { matchesNode } from '@slipway/kube-objects/rules/node-affinity';
import { untolerated } from '@slipway/kube-objects/rules/taints';
import { daemonTolerations } from './daemon-pod.js';

/**
 * What a node means to a DaemonSet: it `runs` a pod; it only `keeps` one that is there, because a taint
 * keeps new pods away; or it runs none.
 */
export type Eligibility = 'runs' | 'keeps' | 'none';

/** Says of nodes whether they are some for a DaemonSet: by name, labels and taints. Room and readiness do not count. */
export function eligibility(set: DaemonSet): (node: Node) => Eligibility {
  const { spec } = set.spec.template;
  const [template, tolerations] = [{ ...set, spec }, daemonTolerations(spec)];
  return (node) => {
    if (spec.nodeName && spec.nodeName !== node.metadata.name) return 'none';
    if (!matchesNode(template, node)) return 'none';
    const taints = node.spec?.taints ?? [];
    if (!untolerated(taints, tolerations, ['NoSchedule', 'NoExecute'])) return 'runs';
    return untolerated(taints, tolerations, ['NoExecute']) ? 'none' : 'keeps';
  };
}
