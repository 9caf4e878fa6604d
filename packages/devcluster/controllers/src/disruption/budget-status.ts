import type { DisruptionBudgetStatus, PodDisruptionBudget } from '@slipway/kube-objects/kinds/api/disruption-budgets';
import { isReady, isTerminating, type Pod } from '@slipway/kube-objects/kinds/api/pods';
import { withDisruptionAllowed, withSyncFailed } from '@slipway/kube-objects/rules/pod-disruption-budget-condition';
import { roundedUp } from '../workloads/int-or-percent.js';

/** How long a pod whose eviction was granted counts as deleted before it is. */
const deletionTimeoutMs = 2 * 60_000;

/** What is known when a budget is worked out. */
export interface Observed {
  readonly budget: PodDisruptionBudget;
  /** Every pod that the budget selects. */
  readonly pods: readonly Pod[];
  /** Replicas that the owners of the pods want, in all. */
  readonly scale: number;
  readonly nowMs: number;
}

/** Whether the number of pods a budget expects comes from their owners, rather than from the pods that there are. */
export function needsScale({ spec: { minAvailable, maxUnavailable } }: PodDisruptionBudget): boolean {
  return maxUnavailable !== undefined || typeof minAvailable === 'string';
}

/** Computes how many evictions a budget allows: the number of healthy pods above the desired number. */
export function budgetStatus(observed: Observed): DisruptionBudgetStatus {
  const { budget, pods, nowMs } = observed;
  const { expectedPods, desiredHealthy } = expectations(observed);
  const disruptedPods = awaited(observed);
  const healthy = pods.filter(
    (pod) => !isTerminating(pod) && !Object.hasOwn(disruptedPods, pod.metadata.name ?? '') && isReady(pod),
  );
  const currentHealthy = healthy.length;
  // A budget that matches nothing must not allow anything: its first pods may come before it is looked at again.
  const disruptionsAllowed = expectedPods > 0 ? Math.max(0, currentHealthy - desiredHealthy) : 0;
  const status: DisruptionBudgetStatus = {
    ...(budget.metadata.generation !== undefined && { observedGeneration: budget.metadata.generation }),
    ...(Object.keys(disruptedPods).length > 0 && { disruptedPods }),
    disruptionsAllowed,
    currentHealthy,
    desiredHealthy,
    expectedPods,
    ...(budget.status?.conditions && { conditions: budget.status.conditions }),
  };
  return { ...status, conditions: withDisruptionAllowed(status, nowMs) };
}

/** Computes the status of a budget whose pods could not be counted: no evictions, and why. The other numbers stay. */
export function failedStatus(budget: PodDisruptionBudget, message: string, nowMs: number): DisruptionBudgetStatus {
  const none = { currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };
  const status: DisruptionBudgetStatus = { ...none, ...budget.status, disruptionsAllowed: 0 };
  return { ...status, conditions: withSyncFailed(status, message, nowMs) };
}

/** Pods whose eviction was granted so long ago that they will probably not be deleted. */
export function expiredEvictions({ budget, pods, nowMs }: Observed): readonly Pod[] {
  return pods.filter((pod) => {
    const since = disruptedSince(budget, pod);
    return since !== undefined && since + deletionTimeoutMs <= nowMs;
  });
}

/** Milliseconds until a pod is given up that should have been deleted. */
export function recheckInMs(observed: Observed): number | undefined {
  const waits = Object.values(awaited(observed)).map((at) => Date.parse(at) + deletionTimeoutMs - observed.nowMs);
  return waits.length > 0 ? Math.max(1, Math.min(...waits)) : undefined;
}

function expectations({ budget, pods, scale }: Observed) {
  const { minAvailable, maxUnavailable } = budget.spec;
  if (maxUnavailable !== undefined) {
    return { expectedPods: scale, desiredHealthy: Math.max(0, scale - roundedUp(maxUnavailable, scale)) };
  }
  if (typeof minAvailable === 'string') {
    return { expectedPods: scale, desiredHealthy: roundedUp(minAvailable, scale) };
  }
  return minAvailable === undefined
    ? { expectedPods: 0, desiredHealthy: 0 }
    : { expectedPods: pods.length, desiredHealthy: minAvailable };
}

/** Those of the pods that were promised to go which are still expected to. */
function awaited({ budget, pods, nowMs }: Observed): Readonly<Record<string, string>> {
  return Object.fromEntries(
    pods.flatMap((pod) => {
      const since = disruptedSince(budget, pod);
      const name = pod.metadata.name ?? '';
      if (since === undefined || since + deletionTimeoutMs <= nowMs) return [];
      return [[name, budget.status?.disruptedPods?.[name] ?? '']];
    }),
  );
}

function disruptedSince({ status }: PodDisruptionBudget, pod: Pod): number | undefined {
  const { name = '' } = pod.metadata;
  const promised = status?.disruptedPods ?? {};
  return isTerminating(pod) || !Object.hasOwn(promised, name) ? undefined : Date.parse(promised[name] ?? '');
}
