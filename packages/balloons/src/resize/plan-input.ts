import { errorMessage } from '@slipway/kube';
import type { NodeSize } from '../api/node-size.js';
import { type Amounts, nothing } from '../planner/amounts.js';
import { type OutOfBounds, type PlanInput, planSize } from '../planner/plan-size.js';
import { fullSize, readWish, type SizeWish } from '../planner/size-wish.js';
import type { BalloonPod } from '../pods/balloon-pod.js';
import { hasReachedSpec } from './balloon-before.js';
import { isGivenBack, type Observation } from './observation.js';

/** Returns the input of a plan for the node, or why its spec cannot be read. Memory that is stuck stays as it is. */
export function planInput(observation: Observation, pod: BalloonPod): PlanInput | string {
  const stays = { kind: 'balloon', amount: pod.allocated.memory } as const;
  const input = wholeInput(observation, pod);
  const isStuck = observation.memoryStuck && typeof input !== 'string';
  return isStuck ? { ...input, wish: { ...input.wish, memory: stays } } : input;
}

function wholeInput(observation: Observation, pod: BalloonPod): PlanInput | string {
  try {
    return inputFor(observation, pod.allocated, isGivenBack(observation) ? fullSize : readWish(observation.size.spec));
  } catch (error) {
    return errorMessage(error);
  }
}

/** Returns the input of a plan for a wish, with a balloon of that size. */
export function inputFor({ node, policy, requested, size }: Observation, balloon: Amounts, wish: SizeWish): PlanInput {
  const { limits } = policy;
  return { allocatable: node.allocatable, requested, balloon, wish, fit: fitOf(size), limits };
}

/** A size that was reached is kept as closely as pods allow; otherwise pods would get all of the hardware that is added. */
function fitOf(size: NodeSize): PlanInput['fit'] {
  return hasReachedSpec(size) ? 'BestEffort' : (size.spec.fit ?? 'Exact');
}

/**
 * Whether new pods are kept away because pods request more than the size that the node had reached: they were placed in
 * added hardware, or while there was no balloon. Not where the spec accepts that, is paused, or wants no fences.
 */
export function isOverSize(observation: Observation): boolean {
  const { pod, size, policy } = observation;
  const { fit, paused = false, fence = policy.fence.mode } = size.spec;
  if (!pod?.running || fit === 'BestEffort' || paused || fence === 'Never' || !hasReachedSpec(size)) return false;
  const input = planInput(observation, pod);
  return typeof input !== 'string' && planSize({ ...input, fit: 'Exact' }).kind === 'does-not-fit';
}

/** Returns what of the desired size the node or its policy does not allow. */
export function boundsExceeded(input: PlanInput): readonly OutOfBounds[] {
  const plan = planSize({ ...input, requested: nothing, fit: 'BestEffort' });
  return plan.kind === 'does-not-fit' ? [] : plan.outside;
}

/** Whether memory is stuck and another amount of it is desired. */
export function lacksMemory(observation: Observation, pod: BalloonPod): boolean {
  const whole = observation.memoryStuck ? wholeInput(observation, pod) : '';
  if (typeof whole === 'string') return false;
  const plan = planSize({ ...whole, fit: 'BestEffort' });
  return plan.kind === 'resize' && plan.to.memory !== pod.allocated.memory;
}
