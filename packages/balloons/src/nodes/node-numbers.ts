import { type Amounts, minus, nothing } from '../planner/amounts.js';
import type { BalloonPod } from '../pods/balloon-pod.js';
import type { NodeView } from './node-view.js';

/** The amounts of a node, with the same names wherever they are shown. */
export interface NodeNumbers {
  /** `status.capacity` of the node. */
  readonly hardware: Amounts;
  readonly allocatable: Amounts;
  /** What is hidden from pods: counted neither as used nor as free. */
  readonly balloon: Amounts;
  /** allocatable - balloon */
  readonly size: Amounts;
  /** Effective requests of all pods but the balloon. */
  readonly requested: Amounts;
  /** size - requested; negative where pods ask for more than there is. */
  readonly free: Amounts;
}

/** Computes the amounts of a node. Without a running balloon nothing is hidden. */
export function nodeNumbers(node: NodeView, balloonPod: BalloonPod | undefined, requested: Amounts): NodeNumbers {
  const { hardware, allocatable } = node;
  const balloon = balloonPod?.bound ? balloonPod.allocated : nothing;
  const size = minus(allocatable, balloon);
  return { hardware, allocatable, balloon, size, requested, free: minus(size, requested) };
}
