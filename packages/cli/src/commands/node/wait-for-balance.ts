import { HostPartition } from '@slipway/balloons';
import { isConditionTrue, type Kube } from '@slipway/kube';
import { followObject } from '../../runtime/follow-object.js';

/** Follows a partition until each kubelet has its share by the newest spec, or the time is over. */
export async function waitForBalance(
  kube: Kube,
  partition: HostPartition,
  withinMs: number,
  signal: AbortSignal,
): Promise<{ readonly balanced: boolean; readonly last: HostPartition }> {
  const { name = '', generation = 0 } = partition.metadata;
  let last = partition;
  const balanced = await followObject(kube, HostPartition, { name }, { withinMs, signal }, (object) => {
    last = object;
    const { observedGeneration = 0, conditions } = object.status ?? {};
    return observedGeneration >= generation && isConditionTrue(conditions, 'Balanced');
  });
  return { balanced, last };
}
