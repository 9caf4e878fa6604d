import type { Store } from '@slipway/object-store/store';

/**
 * Deletes every object of a kind whose definition goes; those that a finalizer
 * holds are marked, once, and go when it is taken away.
 *
 * @returns how many were still there
 */
export function removeInstances(
  store: Store,
  storedAs: string,
  now: string,
  onError: (error: unknown) => void,
): number {
  let left = 0;
  for (const { namespace, name } of store.list(storedAs, {}).entries) {
    const basis = store.latest(storedAs, namespace, name);
    if (!basis) continue;
    left++;
    const { metadata } = basis.object;
    if ((metadata.finalizers?.length ?? 0) === 0) store.remove(basis).catch(onError);
    else if (!metadata.deletionTimestamp) {
      const going = {
        deletionTimestamp: now,
        deletionGracePeriodSeconds: 0,
        generation: (metadata.generation ?? 0) + 1,
      };
      store.put(storedAs, { ...basis.object, metadata: { ...metadata, ...going } }, basis).catch(onError);
    }
  }
  return left;
}
