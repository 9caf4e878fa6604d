import { type KubeObject, podRequests } from '@slipway/kube';
import type { NodeView } from '../nodes/node-view.js';
import { type Amounts, amountsOf, nothing, plus, sum, within } from '../planner/amounts.js';
import { neighbourOf } from '../pods/neighbour.js';
import { mayRun, type PendingPod } from './may-run.js';
import { Neighbourhood } from './neighbourhood.js';

/** A node that may grow, and its maximum size. */
export interface GrowingNode {
  readonly node: NodeView;
  readonly requested: Amounts;
  readonly most: Amounts;
  /** Its size now. */
  readonly size: Amounts;
  /** Adds the headroom of its policy to requests, whether or not the node can become that large. */
  readonly withHeadroom: (requested: Amounts) => Amounts;
}

/** The pending pods that are assigned to a node, and their requests. */
export interface NodeDemand {
  readonly amounts: Amounts;
  readonly pods: ReadonlySet<KubeObject>;
}

const noDemand: NodeDemand = { amounts: nothing, pods: new Set() };

/**
 * Assigns a node to each pod that lacks room, in the order of the scheduler: of the nodes that can grow enough and on
 * which the pod may run, one with headroom left, and of those the one with the least cpu left.
 */
export function pendingDemand(
  pending: readonly PendingPod[],
  nodes: readonly GrowingNode[],
  cluster: Neighbourhood,
): ReadonlyMap<string, NodeDemand> {
  const demand = new Map<string, NodeDemand>();
  const all = new Neighbourhood(cluster.nodes, cluster.pods);
  for (const each of pending.filter(({ pod }) => lacksRoom(pod)).sort(inOrder)) {
    const amounts = requestsOf(each.pod);
    const totalOn = ({ node, requested }: GrowingNode) =>
      plus(plus(requested, (demand.get(node.name) ?? noDemand).amounts), amounts);
    const best = nodes
      .filter((growing) => within(totalOn(growing), growing.most))
      .map((growing) => {
        const hasHeadroom = within(growing.withHeadroom(totalOn(growing)), growing.most);
        return { growing, hasHeadroom, left: growing.most.cpu - totalOn(growing).cpu };
      })
      .sort((a, b) => Number(b.hasHeadroom) - Number(a.hasHeadroom) || Number(a.left - b.left))
      .find(({ growing }) => mayRun(each, growing.node, all));
    if (!best) continue;
    const { name } = best.growing.node;
    const before = demand.get(name) ?? noDemand;
    demand.set(name, { amounts: plus(before.amounts, amounts), pods: new Set([...before.pods, each.pod]) });
    all.add(neighbourOf(each.pod, name));
  }
  return demand;
}

/**
 * Whether a pod that waits for another node, or for none, could preempt pods of this one once it has grown to `to`,
 * and cannot now: then it would do so as soon as the node grows.
 */
export function growthPreempts(
  growing: GrowingNode,
  to: Amounts,
  demand: NodeDemand | undefined,
  pending: readonly PendingPod[],
  all: Neighbourhood,
): boolean {
  const { node, size } = growing;
  const own = [...(demand ?? noDemand).pods].map((pod) => neighbourOf(pod, node.name));
  const here = all.on(node.name);
  return pending.some((each) => {
    if (demand?.pods.has(each.pod) || each.pod.spec?.preemptionPolicy === 'Never' || isNominated(each.pod))
      return false;
    const priority = each.pod.spec?.priority ?? 0;
    if (![...here, ...own].some((other) => other.priority < priority)) return false;
    // The scheduler may try it before the pods that the node grows for.
    const staying = sum(here.filter((other) => other.priority >= priority).map(({ amounts }) => amounts));
    const atLeast = plus(staying, requestsOf(each.pod));
    const [couldBefore, couldAfter] = [within(atLeast, size), within(atLeast, to)];
    const beside = plus(sum([...here, ...own].map(({ amounts }) => amounts)), requestsOf(each.pod));
    const fitsBeside = within(beside, to);
    return couldAfter && !couldBefore && isPlaceable(each, node, all) && !(fitsBeside && mayRun(each, node, all));
  });
}

/** Pods that would be preempted do not exclude others, so only the rules of the node itself count. */
function isPlaceable(pod: PendingPod, node: NodeView, { nodes }: Neighbourhood): boolean {
  return mayRun(pod, node, new Neighbourhood(nodes, []));
}

function requestsOf(pod: KubeObject): Amounts {
  return amountsOf(podRequests(pod));
}

/** Higher priority first, then the older. */
function inOrder({ pod: a }: PendingPod, { pod: b }: PendingPod): number {
  const byPriority = (b.spec?.priority ?? 0) - (a.spec?.priority ?? 0);
  return byPriority || (a.metadata.creationTimestamp ?? '').localeCompare(b.metadata.creationTimestamp ?? '');
}

interface PodCondition {
  readonly type: string;
  readonly reason?: string;
  readonly message?: string;
}

/** Whether a scheduler reported that cpu or memory is insufficient, and did not preempt pods for it. */
export function lacksRoom(pod: KubeObject): boolean {
  const conditions: readonly PodCondition[] = pod.status?.conditions ?? [];
  if (isNominated(pod) || pod.metadata.deletionTimestamp !== undefined) return false;
  return conditions.some(({ type, reason, message = '' }) => {
    return type === 'PodScheduled' && reason === 'Unschedulable' && /Insufficient (cpu|memory)/.test(message);
  });
}

function isNominated({ status }: KubeObject): boolean {
  return Boolean(status?.nominatedNodeName);
}
