import { type Amounts, sameAmounts } from '../planner/amounts.js';
import type { BalloonPod } from '../pods/balloon-pod.js';

/** What one snapshot of the pod says about a resize that was asked for. */
export type Verdict =
  | { readonly kind: 'wait' }
  | { readonly kind: 'succeeded' }
  | { readonly kind: 'pod-replaced' }
  | { readonly kind: 'roll-back'; readonly because: 'Deferred' | 'Infeasible'; readonly message: string };

/** What was asked of which pod. */
export interface AskedResize {
  readonly podUID: string;
  readonly to: Amounts;
  /** Generation that the patch made; missing where pods have none (1.33). */
  readonly podGeneration: number | undefined;
}

/**
 * Judges a resize by one snapshot of its pod; the first rule that applies counts.
 *
 * What the kubelet has set aside is the proof of success, whatever conditions still
 * say. A resize that waits is taken back at once: kubelets try again for as long as it
 * is there, and would take space later that was promised to others meanwhile.
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

/** What a rollback has to do next. */
export type RollbackStep =
  | { readonly kind: 'accepted-late' }
  | { readonly kind: 'rolled-back' }
  | { readonly kind: 'wait' }
  | { readonly kind: 'pod-replaced' }
  | { readonly kind: 'patch'; readonly to: Amounts; readonly resourceVersion: string };

/**
 * Decides the next step of taking a resize back. The spec becomes exactly what is set
 * aside, never more, so the kubelet always accepts it and nobody can act on the old
 * wish later. A kubelet that accepted meanwhile has decided the matter.
 */
export function rollbackStep(asked: AskedResize, pod: BalloonPod | undefined): RollbackStep {
  if (!pod || pod.uid !== asked.podUID || pod.deleting) return { kind: 'pod-replaced' };
  if (sameAmounts(pod.allocated, asked.to)) return { kind: 'accepted-late' };
  if (!sameAmounts(pod.desired, pod.allocated)) {
    return { kind: 'patch', to: pod.allocated, resourceVersion: pod.resourceVersion };
  }
  return pod.pending ? { kind: 'wait' } : { kind: 'rolled-back' };
}
