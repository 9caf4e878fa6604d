import { effectiveRequests, type Kube } from '@slipway/kube';
import { Pod } from '../nodes/node-view.js';
import { type Amounts, amountsOf, nothing, plus, sameAmounts } from '../planner/amounts.js';
import { type PlanInput, planSize } from '../planner/plan-size.js';
import type { Ending, ResizeWork } from '../ticket/resize-work.js';

/**
 * Why a resize must not go on, by what is true at this moment; undefined when it may.
 * A balloon that gives something back always may.
 */
export function objection(work: ResizeWork, now: PlanInput, awaited: boolean): Ending | undefined {
  if (work.direction === 'Up') return undefined;
  if (awaited) return notNow('DeferredPod', 'a pod on the node waits to grow; the space is for it');
  const plan = planSize(now);
  if (plan.kind === 'does-not-fit') return notNow('PodsUseIt', 'pods came that ask for what was to be hidden');
  if (plan.kind === 'resize' && sameAmounts(plan.to, work.to)) return undefined;
  return { result: 'Superseded', reason: 'PlanChanged', message: 'the node changed before anything was done' };
}

function notNow(reason: string, message: string): Ending {
  return { result: 'DoesNotFit', reason, message };
}

/** What all pods of a node but one ask for, read from the API server itself. */
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
