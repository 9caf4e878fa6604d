import type { ActuatorAnswer } from '../actuators/actuator.js';
import type { ResizeResult } from '../api/node-size.js';
import type { Amounts } from '../planner/amounts.js';
import type { Direction } from '../planner/plan-size.js';
import type { AskedResize } from './judge-resize.js';

/**
 * One resize in progress: everything that is known of it. What must survive a crash is also in the ticket in
 * `status.resize` of the NodeSize; a new leader finds out the rest by reading the pod.
 */
export interface ResizeWork {
  readonly id: string;
  readonly direction: Direction;
  readonly from: Amounts;
  readonly to: Amounts;
  /** The requests of the balloon, one patch after the other. */
  readonly patches: readonly Amounts[];
  readonly podUID: string;
  /** Generation of the NodeSize that this carries out. */
  readonly generation: number;
  readonly partial: boolean;
  /** Only cpu is resized, although other memory is desired. */
  readonly cpuOnly?: boolean;
  /** Whether the taint that keeps new pods away is on the node. */
  readonly fenced: boolean;
  /** Monotonic, in milliseconds. */
  readonly startedMs: number;
  /** Until when the kubelet may accept it; monotonic, in milliseconds. */
  readonly deadlineMs: number;
  readonly phase: WorkPhase;
  /** The last answer of the actuator, once it was called. */
  readonly actuated?: ActuatorAnswer | undefined;
}

export type WorkPhase =
  /** The machine grows first. */
  | { readonly kind: 'growing'; readonly sinceMs: number }
  /** The fence is up; schedulers may still act on older state. */
  | { readonly kind: 'settling'; readonly sinceMs: number }
  /** Before each patch: whether the plan still holds. `conflicts` counts patches that failed because the pod had changed. */
  | { readonly kind: 'checking'; readonly patch: number; readonly conflicts?: number }
  | { readonly kind: 'observing'; readonly patch: number; readonly asked: AskedResize; readonly sinceMs: number }
  | { readonly kind: 'rolling-back'; readonly asked: AskedResize; readonly ending: Ending; readonly sinceMs: number }
  /** The balloon has grown; the machine gives back what it hides. */
  | { readonly kind: 'shrinking'; readonly sinceMs: number }
  /** Begun by an earlier leader; how far it came is not known yet. */
  | { readonly kind: 'inherited' };

/** How a resize ends. */
export interface Ending {
  readonly result: ResizeResult;
  readonly reason: string;
  readonly message: string;
}

export const partlyDone: Ending = {
  result: 'Partial',
  reason: 'PodsUseTheRest',
  message: 'as far as what other pods ask for allows',
};

/** Returns the ending of a resize that reached its target. */
export function done({ partial, cpuOnly }: ResizeWork): Ending {
  if (cpuOnly) return { result: 'Partial', reason: 'SwapBlocksMemory', message: 'cpu alone: memory may swap' };
  return partial
    ? partlyDone
    : { result: 'Succeeded', reason: 'Allocated', message: 'the kubelet allocated the requested size' };
}

/** Whether an ending settles its spec; a resize that ended for an unrelated reason is planned anew at once. */
export function settlesSpec({ result, reason }: Ending): boolean {
  return result !== 'Superseded' && result !== 'PodReplaced' && result !== 'NodeGone' && reason !== 'LeaderChanged';
}
