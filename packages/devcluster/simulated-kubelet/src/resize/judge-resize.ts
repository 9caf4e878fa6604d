import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import { type Amounts, minus } from '@slipway/kube-objects/rules/amounts';
import { type Allocation, amountsAsked, withAllocation } from '../allocation/allocation.js';
import { isCritical, isStatic } from '../pods/critical-pod.js';
import type { NodePolicies } from '../settings/node-policies.js';

/**
 * Why a node can never give a pod what it asks for, whatever else runs there; undefined when it could.
 *
 * @param capacity what the node has apart from what is reserved for the system
 */
export function whyInfeasible(
  pod: Pod,
  allocation: Allocation,
  capacity: Amounts,
  policies: NodePolicies,
): string | undefined {
  if (isStatic(pod)) return 'In-place resize of static-pods is not supported';
  if (policies.swaps && changesSwappable(pod, allocation)) {
    return 'In-place resize of containers with swap is not supported.';
  }
  const changed = minus(amountsAsked(pod), amountsAsked(withAllocation(pod, allocation)));
  const isOwner = pod.status?.qosClass === 'Guaranteed';
  if (isOwner && policies.staticCpu && changed.has('cpu')) {
    return 'Resize is infeasible for Guaranteed Pods alongside CPU Manager policy "static"';
  }
  if (isOwner && policies.staticMemory && changed.has('memory')) {
    return 'Resize is infeasible for Guaranteed Pods alongside Memory Manager policy "Static"';
  }
  return beyond(amountsAsked(pod), capacity);
}

/** Memory is named first when both are too much. */
function beyond(asked: Amounts, capacity: Amounts): string | undefined {
  for (const name of ['memory', 'cpu']) {
    const [requested, available] = [asked.get(name) ?? 0, capacity.get(name) ?? 0];
    if (requested <= available) continue;
    return `Node didn't have enough capacity: ${name}, requested: ${requested}, capacity: ${available}`;
  }
  return undefined;
}

/** Only burstable pods that are not critical swap, and only containers whose memory request is not their limit. */
function changesSwappable(pod: Pod, allocation: Allocation): boolean {
  const { spec, status } = pod;
  if (status?.qosClass !== 'Burstable' || isCritical(pod)) return false;
  return [...(spec.initContainers ?? []), ...spec.containers].some(({ name, resources = {}, resizePolicy = [] }) => {
    const before = allocation.get(name) ?? {};
    const restarts = resizePolicy.some(
      ({ resourceName, restartPolicy }) => resourceName === 'memory' && restartPolicy === 'RestartContainer',
    );
    if (restarts || resources.requests?.memory === before.requests?.memory) return false;
    return [resources, before].some(({ requests, limits }) => requests?.memory !== limits?.memory);
  });
}
