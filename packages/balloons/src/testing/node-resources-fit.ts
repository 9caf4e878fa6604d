import { type Amounts, plus, type ResourceName, resources } from '../planner/amounts.js';

/**
 * What a node has too little of for a pod that wants so much, as the plugin NodeResourcesFit
 * counts: a resource that the pod does not ask for is not looked at, so that a pod without
 * cpu still fits on a node whose cpu is promised twice (to a resize that is deferred, say).
 */
export function shortOf(wants: Amounts, taken: Amounts, allocatable: Amounts): ResourceName | undefined {
  const all = plus(taken, wants);
  return resources.find((resource) => wants[resource] > 0n && all[resource] > allocatable[resource]);
}
