import { type KubeObject, podRequests } from '@slipway/kube';
import { hasTaint, type NodeView } from '../nodes/node-view.js';
import { type Amounts, amountsOf, nothing, plus, within } from '../planner/amounts.js';

/** A node that may grow, and how large it can become for pods. */
export interface GrowingNode {
  readonly node: NodeView;
  readonly requested: Amounts;
  readonly most: Amounts;
}

/**
 * What each node would have to find room for so that the pods without a place have one: each
 * pod goes to the first node, by the least that would be left of it, that can grow enough.
 */
export function pendingDemand(
  pods: readonly KubeObject[],
  nodes: readonly GrowingNode[],
): ReadonlyMap<string, Amounts> {
  const demand = new Map<string, Amounts>();
  for (const pod of pods.filter(lacksRoom)) {
    const amounts = amountsOf(podRequests(pod));
    const withPod = ({ node, requested }: GrowingNode) =>
      plus(plus(requested, demand.get(node.name) ?? nothing), amounts);
    const [best] = nodes
      .filter((each) => mayTake(each.node, pod) && within(withPod(each), each.most))
      .sort((a, b) => Number(a.most.cpu - withPod(a).cpu - (b.most.cpu - withPod(b).cpu)));
    if (best) demand.set(best.node.name, plus(demand.get(best.node.name) ?? nothing, amounts));
  }
  return demand;
}

interface PodCondition {
  readonly type: string;
  readonly reason?: string;
  readonly message?: string;
}

/** A scheduler has said that it lacks cpu or memory. */
function lacksRoom(pod: KubeObject): boolean {
  const conditions: readonly PodCondition[] = pod.status?.conditions ?? [];
  return conditions.some(({ type, reason, message = '' }) => {
    return type === 'PodScheduled' && reason === 'Unschedulable' && /Insufficient (cpu|memory)/.test(message);
  });
}

interface Toleration {
  readonly key?: string;
  readonly effect?: string;
}

function mayTake(node: NodeView, pod: KubeObject): boolean {
  const selector: Readonly<Record<string, string>> = pod.spec?.nodeSelector ?? {};
  const tolerations: readonly Toleration[] = pod.spec?.tolerations ?? [];
  const isTolerated = (key: string) => tolerations.some((each) => each.key === undefined || each.key === key);
  return (
    Object.entries(selector).every(([key, value]) => node.labels[key] === value) &&
    node.taints.every(({ key, effect }) => effect === 'PreferNoSchedule' || isOurs(key) || isTolerated(key)) &&
    !hasTaint(node, 'node.kubernetes.io/unschedulable')
  );
}

/** A fence of ours is gone by the time the node has grown. */
function isOurs(key: string): boolean {
  return key.startsWith('balloons.slipway.dev/');
}
