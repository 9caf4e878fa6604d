import { formatQuantity, milliQuantity, quantity } from '@slipway/kube';
import type { Usage } from '@slipway/simulated-kubelet/usage/simulated-usage';
import type { UsageFields } from './metrics-definition.js';

export function usageFields({ milliCpu, memoryBytes }: Usage): UsageFields {
  return {
    cpu: formatQuantity(milliQuantity(milliCpu)),
    memory: formatQuantity(quantity(BigInt(Math.round(memoryBytes)), 'BinarySI')),
  };
}
