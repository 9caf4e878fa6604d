import type { Node } from '../controllers/api/nodes.js';
import type { Pod } from '../controllers/api/pods.js';
import { type Amounts, amountsOfList, amountsOfPod, shortages } from '../scheduler/amounts.js';
import { matchesNode } from '../scheduler/node-affinity.js';

/** Why a kubelet does not run a pod that was given to it. */
export interface Rejection {
  readonly reason: string;
  readonly message: string;
}

/**
 * The kubelet's own check: somebody may have set `nodeName` past the scheduler, or two
 * schedulers may have spent the same room. `used` = what admitted pods take already.
 */
export function admit(pod: Pod, node: Node, used: Amounts): Rejection | undefined {
  if (!matchesNode(pod, node)) {
    return {
      reason: 'NodeAffinity',
      message: "Pod was rejected: Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
    };
  }
  const wanted = amountsOfPod(pod);
  const available = amountsOfList(node.status?.allocatable);
  const [short] = shortages(wanted, used, available);
  if (short === undefined) return undefined;
  const amount = (amounts: Amounts) => amounts.get(short) ?? 0;
  const figures = `requested: ${amount(wanted)}, used: ${amount(used)}, capacity: ${amount(available)}`;
  return {
    reason: `OutOf${short}`,
    message: `Pod was rejected: Node didn't have enough resource: ${short}, ${figures}`,
  };
}
