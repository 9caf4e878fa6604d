import { effectiveRequests, type Kube } from '@slipway/kube';
import { type Amounts, amountsOf, nothing, plus, sameAmounts, within } from '../planner/amounts.js';
import { type PlanInput, planSize, type Resize } from '../planner/plan-size.js';
import { Pod } from '../pods/pod.js';
import type { Ending, ResizeWork } from '../ticket/resize-work.js';

/** Whether a resize may go on: as it was planned, only to a smaller balloon, or not at all. */
export type Check =
  | { readonly kind: 'go-on' }
  | { readonly kind: 'shorten'; readonly plan: Resize }
  | { readonly kind: 'end'; readonly ending: Ending };

/** Checks the plan of a resize against the current state. A balloon that shrinks may always go on. */
export function checkPlan(work: ResizeWork, now: PlanInput, awaited: boolean): Check {
  if (work.direction === 'Up') return { kind: 'go-on' };
  if (awaited) return notNow('DeferredPod', 'a pod on the node waits to grow; the space is for it');
  const plan = planSize(now);
  if (plan.kind === 'does-not-fit') return notNow('PodsUseIt', 'new pods request what was to be hidden');
  if (plan.kind === 'resize' && sameAmounts(plan.to, work.to)) return { kind: 'go-on' };
  // To begin anew would open the node to more pods meanwhile.
  if (plan.kind === 'resize' && plan.direction !== 'Up' && within(plan.to, work.to)) return { kind: 'shorten', plan };
  return end({ result: 'Superseded', reason: 'PlanChanged', message: 'the node changed before anything was done' });
}

function notNow(reason: string, message: string): Check {
  return end({ result: 'DoesNotFit', reason, message });
}

function end(ending: Ending): Check {
  return { kind: 'end', ending };
}

/** Sums the requests of all pods of a node but one, read from the API server. */
export async function requestedNow(
  kube: Kube,
  node: string,
  balloonUID: string,
  signal: AbortSignal,
): Promise<Amounts> {
  let total = nothing;
  for await (const page of kube.resource(Pod).pages({ fieldSelector: `spec.nodeName=${node}`, signal })) {
    for (const pod of page.items) {
      if (pod.metadata.uid !== balloonUID) total = plus(total, amountsOf(effectiveRequests(pod)));
    }
  }
  return total;
}
