import { formatQuantity, milliQuantity, quantity } from '@slipway/kube';
import type { Pod } from '../../kube-objects/kinds/api/pods.js';
import { simulatedUsage, type Usage } from '../../simulated-kubelet/usage/simulated-usage.js';
import type { UsageFields } from './metrics-definition.js';

/** What the containers of a pod that run use now. */
export function usageOf(pod: Pod): readonly { readonly name: string; readonly usage: Usage }[] {
  const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {};
  return [...initContainerStatuses, ...containerStatuses]
    .filter(({ state }) => state.running)
    .map(({ name, resources = {} }) => ({ name, usage: simulatedUsage(pod, name, resources) }));
}

export function usageFields({ milliCpu, memoryBytes }: Usage): UsageFields {
  return {
    cpu: formatQuantity(milliQuantity(milliCpu)),
    memory: formatQuantity(quantity(BigInt(Math.round(memoryBytes)), 'BinarySI')),
  };
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
