import {
  InformerFactory,
  type Kube,
  type KubeObject,
  type ObjectRef,
  type ResourceRef,
  silentLog,
} from '@slipway/kube';

/**
 * Follows an object until `isThere` says so of what it was given, or the time is over.
 * @returns whether it is there. Rejects when `signal` aborts.
 */
export async function followObject<T extends KubeObject>(
  kube: Kube,
  resource: ResourceRef<T>,
  { name, namespace }: ObjectRef,
  { withinMs, signal }: { readonly withinMs: number; readonly signal: AbortSignal },
  isThere: (object: T) => boolean,
): Promise<boolean> {
  const informers = new InformerFactory(kube, { log: silentLog });
  const informer = informers.informer(resource, {
    ...(namespace !== undefined && { namespace }),
    fieldSelector: `metadata.name=${name}`,
  });
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<boolean>((resolve, reject) => {
      timer = setTimeout(() => resolve(false), withinMs);
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      informer.onChange(({ object }) => {
        if (isThere(object)) resolve(true);
      });
      informers.start();
    });
  } finally {
    clearTimeout(timer);
    await informers.stop();
  }
}
