import { matchesNode } from '../../scheduler/node-affinity.js';
import { untolerated } from '../../scheduler/taints.js';
import type { DaemonSet } from '../api/daemon-sets.js';
import type { Node } from '../api/nodes.js';
import { daemonTolerations } from './daemon-pod.js';

/**
 * What a node means to a DaemonSet: it `runs` a pod; it only `keeps` one that is there, because a taint
 * keeps new pods away; or it runs none.
 */
export type Eligibility = 'runs' | 'keeps' | 'none';

/** Whether a node is one for a DaemonSet: by name, labels and taints. Room and readiness do not count. */
export function eligibility(set: DaemonSet, node: Node): Eligibility {
  const { spec } = set.spec.template;
  if (spec.nodeName && spec.nodeName !== node.metadata.name) return 'none';
  if (!matchesNode({ ...set, spec }, node)) return 'none';
  const [taints, tolerations] = [node.spec?.taints ?? [], daemonTolerations(spec)];
  if (!untolerated(taints, tolerations, ['NoSchedule', 'NoExecute'])) return 'runs';
  return untolerated(taints, tolerations, ['NoExecute']) ? 'none' : 'keeps';
}
