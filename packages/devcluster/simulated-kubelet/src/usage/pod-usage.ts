import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import { simulatedUsage, type Usage } from './simulated-usage.js';

/** Returns the current usage of a pod's running containers. */
export function usageOf(pod: Pod): readonly { readonly name: string; readonly usage: Usage }[] {
  const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {};
  return [...initContainerStatuses, ...containerStatuses]
    .filter(({ state }) => state.running)
    .map(({ name, resources = {} }) => ({ name, usage: simulatedUsage(pod, name, resources) }));
}

export function sumOf(usages: readonly Usage[]): Usage {
  return usages.reduce(
    (sum, { milliCpu, memoryBytes }) => ({
      milliCpu: sum.milliCpu + milliCpu,
      memoryBytes: sum.memoryBytes + memoryBytes,
    }),
    { milliCpu: 0, memoryBytes: 0 },
  );
}

/** What a simulated node uses for itself. */
export const ofSystem: Usage = { milliCpu: 50, memoryBytes: 256 * 1024 * 1024 };
