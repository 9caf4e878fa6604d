import { isUnpreemptable } from '@slipway/kube-objects/kinds/api/pods';
import type { Demand } from '../demand/demand.js';
import { imaginedWith, imaginedWithout, type JudgedNode, objectionTo } from '../placement/judged-node.js';
import type { ClusterView } from '../view/cluster-view.js';
import type { NodeState } from '../view/node-state.js';
import { byBudget } from './budget-violations.js';

/** Pods to be taken off one node so that another fits there. */
export interface Candidate {
  readonly state: NodeState;
  /** The most important first. */
  readonly victims: readonly Demand[];
  /** How many of them a disruption budget protects. */
  readonly violations: number;
}

/**
 * The fewest and least important pods of a node that have to go for `demand` to fit, or the reasons why even all that
 * may go are not enough. Pods that a disruption budget protects are spared first, then the most important.
 */
export function selectVictims(demand: Demand, node: JudgedNode, cluster: ClusterView): Candidate | readonly string[] {
  const lesser = node.state.pods.filter((other) => mayBePreempted(other, demand)).sort(moreImportantFirst);
  if (lesser.length === 0) return ['No preemption victims found for incoming pod'];
  let rest = lesser.reduce(imaginedWithout, node);
  const hopeless = objectionTo(demand, rest, cluster);
  if (hopeless) return hopeless.reasons;

  const spare = (other: Demand) => {
    const spared = imaginedWith(rest, other);
    if (objectionTo(demand, spared, cluster)) return false;
    rest = spared;
    return true;
  };
  const { violating, others } = byBudget(lesser, cluster.budgets);
  const violated = violating.filter((other) => !spare(other));
  const victims = [...violated, ...others.filter((other) => !spare(other))].sort(moreImportantFirst);
  return { state: node.state, victims, violations: violated.length };
}

/** Whether a pod may be taken away for another: never one of the same priority, never a balloon. */
export function mayBePreempted(other: Demand, { priority }: Demand): boolean {
  return other.priority < priority && !isUnpreemptable(other.pod);
}

/** By priority, then by how long they have been running. */
function moreImportantFirst(a: Demand, b: Demand): number {
  return b.priority - a.priority || startedAtMs(a) - startedAtMs(b);
}

/** When the pod started, in milliseconds since the epoch; one that did not yet counts as the latest of all. */
export function startedAtMs({ pod }: Demand): number {
  return pod.status?.startTime ? Date.parse(pod.status.startTime) : Number.MAX_SAFE_INTEGER;
}
