import { type Amounts, minus, nothing } from '../planner/amounts.js';
import type { BalloonPod } from '../pods/balloon-pod.js';
import type { NodeView } from './node-view.js';

/** What a node is, what of it pods may use, and what they ask for: one set of words wherever numbers are shown. */
export interface NodeNumbers {
  /** `status.capacity` of the node. */
  readonly hardware: Amounts;
  readonly allocatable: Amounts;
  /** What does not exist for pods: never counted as used, nor as free. */
  readonly balloon: Amounts;
  /** allocatable - balloon */
  readonly size: Amounts;
  /** Effective requests of all pods but the balloon. */
  readonly requested: Amounts;
  /** size - requested; negative where pods ask for more than there is. */
  readonly free: Amounts;
}

/** The numbers of one node. Without a balloon that runs there, nothing of it is hidden. */
export function nodeNumbers(node: NodeView, balloonPod: BalloonPod | undefined, requested: Amounts): NodeNumbers {
  const { hardware, allocatable } = node;
  const balloon = balloonPod?.bound ? balloonPod.allocated : nothing;
  const size = minus(allocatable, balloon);
  return { hardware, allocatable, balloon, size, requested, free: minus(size, requested) };
}
