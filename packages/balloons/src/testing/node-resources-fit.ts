import { type Amounts, plus, type ResourceName, resources } from '../planner/amounts.js';

/**
 * Returns a resource that the node lacks for a pod that requests `wants`, as the plugin NodeResourcesFit counts.
 * Resources that the pod does not request are not checked, so a pod without cpu still fits on a node whose cpu is
 * promised twice (for example to a deferred resize).
 */
export function shortOf(wants: Amounts, taken: Amounts, allocatable: Amounts): ResourceName | undefined {
  const all = plus(taken, wants);
  return resources.find((resource) => wants[resource] > 0n && all[resource] > allocatable[resource]);
}
