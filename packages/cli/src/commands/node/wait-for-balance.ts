import { HostPartition } from '@slipway/balloons';
import { InformerFactory, isConditionTrue, type Kube, silentLog } from '@slipway/kube';

/** Follows a partition until each kubelet has its share by the newest spec, or the time is over. */
export async function waitForBalance(
  kube: Kube,
  partition: HostPartition,
  withinMs: number,
  signal: AbortSignal,
): Promise<{ readonly balanced: boolean; readonly last: HostPartition }> {
  const { name, generation = 0 } = partition.metadata;
  const informers = new InformerFactory(kube, { log: silentLog });
  const informer = informers.informer(HostPartition, { fieldSelector: `metadata.name=${name}` });
  let last = partition;
  try {
    const balanced = await new Promise<boolean>((resolve, reject) => {
      const timer = setTimeout(() => resolve(false), withinMs);
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      informer.onChange(({ object }) => {
        last = object;
        const { observedGeneration = 0, conditions } = object.status ?? {};
        if (observedGeneration < generation || !isConditionTrue(conditions, 'Balanced')) return;
        clearTimeout(timer);
        resolve(true);
      });
      informers.start();
    });
    return { balanced, last };
  } finally {
    await informers.stop();
  }
}
