import { isTerminating, podCondition } from '@slipway/kube-objects/kinds/api/pods';
import type { Demand } from '../demand/demand.js';
import { counted, nodesAvailable } from '../placement/describe-findings.js';
import type { Findings } from '../placement/place-pod.js';
import type { ClusterView } from '../view/cluster-view.js';
import { leastHarmful } from './choose-candidate.js';
import { type Candidate, mayBePreempted, selectVictims } from './select-victims.js';

/** How room is made for a pod that fits nowhere. */
export type PreemptionPlan =
  | { readonly kind: 'preempt'; readonly nodeName: string; readonly victims: readonly Demand[] }
  /** Room is being made already, or the pod may not ask for it. */
  | { readonly kind: 'wait'; readonly message: string }
  /** Nothing that may be done would help: a node meant for the pod is so no longer. */
  | { readonly kind: 'hopeless'; readonly message: string };

/** Decides which pods to preempt for a pod, if any. Pure. */
export function planPreemption(demand: Demand, findings: Findings, cluster: ClusterView): PreemptionPlan {
  const why = whyNotEligible(demand, findings, cluster);
  if (why) return { kind: 'wait', message: why };

  const candidates: Candidate[] = [];
  const reasons: string[] = [];
  const removable = findings.objections.filter((objection) => objection.removable);
  for (const { state } of removable) {
    const found = selectVictims(demand, { state, checks: findings.checks }, cluster);
    if ('victims' in found) candidates.push(found);
    else reasons.push(...found);
  }
  const chosen = leastHarmful(candidates);
  if (chosen) return { kind: 'preempt', nodeName: chosen.state.name, victims: chosen.victims };
  const rest = findings.total - removable.length;
  const listed = counted(reasons, rest, 'Preemption is not helpful for scheduling');
  return { kind: 'hopeless', message: nodesAvailable(findings.total, listed) };
}

/** The node that is now meant for the pod; '' for none any more, undefined when nothing changes. */
export function nominationOf(plan: PreemptionPlan | undefined): string | undefined {
  if (plan?.kind === 'preempt') return plan.nodeName;
  return plan?.kind === 'hopeless' ? '' : undefined;
}

/** A pod that has preempted others waits until they are deleted instead of preempting more on other nodes. */
function whyNotEligible(demand: Demand, { objections }: Findings, cluster: ClusterView): string | undefined {
  if (demand.pod.spec.preemptionPolicy === 'Never') return 'not eligible due to preemptionPolicy=Never.';
  const nominated = demand.pod.status?.nominatedNodeName;
  if (!nominated || objections.some(({ state, removable }) => state.name === nominated && !removable)) return undefined;
  const state = cluster.nodes.find(({ name }) => name === nominated);
  const isAwaited = (other: Demand) => mayBePreempted(other, demand) && isLeavingByPreemption(other);
  return state?.pods.some(isAwaited) ? 'not eligible due to a terminating pod on the nominated node.' : undefined;
}

function isLeavingByPreemption({ pod }: Demand): boolean {
  const target = podCondition(pod, 'DisruptionTarget');
  return isTerminating(pod) && target?.status === 'True' && target.reason === 'PreemptionByScheduler';
}
