import { type Amounts, sameAmounts } from '../planner/amounts.js';
import type { BalloonPod } from '../pods/balloon-pod.js';

/** The state of a requested resize according to one snapshot of the pod. */
export type Verdict =
  | { readonly kind: 'wait' }
  | { readonly kind: 'succeeded' }
  | { readonly kind: 'pod-replaced' }
  | { readonly kind: 'roll-back'; readonly because: 'Deferred' | 'Infeasible'; readonly message: string };

/** A resize that was requested of a pod. */
export interface AskedResize {
  readonly podUID: string;
  readonly to: Amounts;
  /** Generation after the patch; undefined where pods have none (1.33). */
  readonly podGeneration: number | undefined;
}

/**
 * Evaluates a resize by one snapshot of its pod; the first rule that applies counts.
 *
 * The allocation of the kubelet proves success, whatever conditions still say. A deferred resize is rolled back at once:
 * kubelets retry it for as long as it is in the spec, and would later take space that other pods have been promised.
 */
export function judgeResize(asked: AskedResize, pod: BalloonPod | undefined): Verdict {
  if (!pod || pod.uid !== asked.podUID || pod.deleting) return { kind: 'pod-replaced' };
  if (sameAmounts(pod.allocated, asked.to)) return { kind: 'succeeded' };
  const { pending } = pod;
  if (!pending || isOld(pending.observedGeneration, asked.podGeneration)) return { kind: 'wait' };
  return { kind: 'roll-back', because: pending.reason, message: pending.message };
}

/** A judgement of an earlier spec. Without generations there was none before ours: that was checked first. */
function isOld(observed: number | undefined, asked: number | undefined): boolean {
  return observed !== undefined && asked !== undefined && observed < asked;
}

/** The next step of a rollback. */
export type RollbackStep =
  | { readonly kind: 'accepted-late' }
  | { readonly kind: 'rolled-back' }
  | { readonly kind: 'wait' }
  | { readonly kind: 'pod-replaced' }
  | { readonly kind: 'patch'; readonly to: Amounts; readonly resourceVersion: string };

/**
 * Decides the next step of a rollback. The spec becomes exactly what is allocated, never more, so the kubelet always
 * accepts it and the old request cannot take effect later. If the kubelet has accepted the resize meanwhile, it stays.
 */
export function rollbackStep(asked: AskedResize, pod: BalloonPod | undefined): RollbackStep {
  if (!pod || pod.uid !== asked.podUID || pod.deleting) return { kind: 'pod-replaced' };
  if (sameAmounts(pod.allocated, asked.to)) return { kind: 'accepted-late' };
  if (!sameAmounts(pod.desired, pod.allocated)) {
    return { kind: 'patch', to: pod.allocated, resourceVersion: pod.resourceVersion };
  }
  return pod.pending ? { kind: 'wait' } : { kind: 'rolled-back' };
}
