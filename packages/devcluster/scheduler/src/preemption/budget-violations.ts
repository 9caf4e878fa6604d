import { matchesSelector } from '@slipway/kube';
import type { PodDisruptionBudget } from '@slipway/kube-objects/kinds/api/disruption-budgets';
import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import type { Demand } from '../demand/demand.js';

/** Pods whose eviction a disruption budget does not allow, and the others; both in the order given. */
export interface Victims {
  readonly violating: readonly Demand[];
  readonly others: readonly Demand[];
}

/** Sorts pods by whether their budgets allow to take them all away, counting each budget down in the order given. */
export function byBudget(demands: readonly Demand[], budgets: readonly PodDisruptionBudget[]): Victims {
  const allowed = new Map(budgets.map((budget) => [budget, budget.status?.disruptionsAllowed ?? 0]));
  const violates = ({ pod }: Demand) => {
    let isViolating = false;
    for (const budget of budgets.filter((each) => protects(each, pod))) {
      const left = (allowed.get(budget) ?? 0) - 1;
      allowed.set(budget, left);
      if (left < 0) isViolating = true;
    }
    return isViolating;
  };
  const violating = new Set(demands.filter(violates));
  return { violating: [...violating], others: demands.filter((demand) => !violating.has(demand)) };
}

/** A pod whose eviction was granted already is no longer protected. */
function protects({ metadata, spec, status }: PodDisruptionBudget, pod: Pod): boolean {
  if (metadata.namespace !== pod.metadata.namespace || !spec.selector) return false;
  const { matchLabels = {}, matchExpressions = [] } = spec.selector;
  if (Object.keys(matchLabels).length + matchExpressions.length === 0) return false;
  const isGranted = Object.hasOwn(status?.disruptedPods ?? {}, pod.metadata.name ?? '');
  return (
    !isGranted &&
    Object.keys(pod.metadata.labels ?? {}).length > 0 &&
    matchesSelector(spec.selector, pod.metadata.labels)
  );
}
