import { forbidden, statusError } from '@slipway/api-machinery/errors/status-errors';
import { objectTime } from '@slipway/api-machinery/json/write/object-time';
import { findCondition, type KubeObject, matchesSelector, type StatusCause } from '@slipway/kube';
import {
  disruptionAllowed,
  syncFailed,
  withDisruptionAllowed,
} from '@slipway/kube-objects/rules/pod-disruption-budget-condition';

/** Which budget, if any, must permit the eviction of a pod. */
export type EvictionDecision =
  /** No budget selects the pod. */
  | { readonly kind: 'free' }
  /** The pod is not Ready, and its budget permits the eviction of such a pod. */
  | { readonly kind: 'unhealthy'; readonly budget: string }
  /** A budget must permit the disruption. */
  | { readonly kind: 'budget'; readonly budget: string };

/** A pod that has ended, has not started or is terminating serves no requests: budgets do not apply to it. */
export function isBeyondBudgets({ metadata, status }: KubeObject): boolean {
  return isOver(status?.phase) || status?.phase === 'Pending' || metadata.deletionTimestamp !== undefined;
}

/** Whether a pod may become Ready between this check and its deletion. */
export function mayBeginToServe({ metadata, status }: KubeObject): boolean {
  return !isOver(status?.phase) && metadata.deletionTimestamp === undefined;
}

/**
 * Finds out which budget is about a pod.
 *
 * @throws StatusError 500 when there are several.
 */
export function decideEviction(pod: KubeObject, budgets: readonly KubeObject[]): EvictionDecision {
  const about = budgets.filter(({ spec }) => spec?.selector && matchesSelector(spec.selector, pod.metadata.labels));
  const [budget, another] = about;
  if (!budget) return { kind: 'free' };
  if (another) {
    const message = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';
    throw statusError(500, undefined, message);
  }
  const { name = '' } = budget.metadata;
  return !isReady(pod) && doesWithout(budget) ? { kind: 'unhealthy', budget: name } : { kind: 'budget', budget: name };
}

function doesWithout({ spec, status }: KubeObject): boolean {
  if (spec.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {};
  return currentHealthy >= desiredHealthy && desiredHealthy > 0;
}

/** More granted evictions than this show that the disruption controller does not run. */
const maxPromises = 2_000;

/**
 * The status of a budget after it granted the eviction of a pod.
 *
 * @throws StatusError TooManyRequests when it does not grant it, Forbidden when its status makes no sense.
 */
export function grantEviction(
  { metadata, status = {} }: KubeObject,
  podName: string,
  nowMs: number,
): KubeObject['status'] {
  const { name = '', generation = 0 } = metadata;
  const { observedGeneration = 0, disruptionsAllowed = 0, disruptedPods = {} } = status;
  if (observedGeneration < generation) throw stillProcessed(name);
  const refuse = (why: string) => forbidden({ group: 'policy', plural: 'poddisruptionbudget' }, name, why);
  if (disruptionsAllowed < 0) throw refuse('pdb disruptions allowed is negative');
  if (Object.keys(disruptedPods).length > maxPromises) {
    throw refuse('DisruptedPods map too big - too many evictions not confirmed by PDB controller');
  }
  if (disruptionsAllowed === 0) throw violation(whyNone(name, status));
  const granted = {
    ...status,
    disruptionsAllowed: disruptionsAllowed - 1,
    disruptedPods: { ...disruptedPods, [podName]: objectTime(nowMs) },
  };
  return granted.disruptionsAllowed > 0 ? granted : { ...granted, conditions: withDisruptionAllowed(granted, nowMs) };
}

/** 429 when the budget, or the pod, changed meanwhile: another try may fare better. */
export function stillProcessed(budget: string) {
  return violation(`The disruption budget ${budget} is still being processed by the server.`, 10);
}

function whyNone(name: string, status: KubeObject['status']): string {
  const condition = findCondition(status.conditions, disruptionAllowed);
  if (condition?.reason === syncFailed) {
    return (
      `The disruption budget ${name} does not allow evicting pods currently because it failed sync: ` +
      condition.message
    );
  }
  const { desiredHealthy = 0, currentHealthy = 0 } = status;
  return `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
}

function violation(message: string, retryAfterSeconds?: number) {
  const causes: StatusCause[] = [{ reason: 'DisruptionBudget', message }];
  const text = "Cannot evict pod as it would violate the pod's disruption budget.";
  const details = retryAfterSeconds === undefined ? { causes } : { causes, retryAfterSeconds };
  return statusError(429, 'TooManyRequests', text, details);
}

function isOver(phase: unknown): boolean {
  return phase === 'Succeeded' || phase === 'Failed';
}

function isReady({ status }: KubeObject): boolean {
  const conditions: readonly { type: string; status: string }[] = status?.conditions ?? [];
  return conditions.some((condition) => condition.type === 'Ready' && condition.status === 'True');
}
