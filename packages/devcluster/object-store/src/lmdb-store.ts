import { createStore, type StoreOptions } from './create-store.js';
import { openLmdbLog } from './lmdb-log.js';
import type { Store } from './store.js';

/**
 * A store in the LMDB file `path`, made when it is not there. One process at a
 * time may have it open: the data directory's lock sees to that.
 * @throws StorageDamagedError when the file is there but is not a store that this program can read.
 */
export async function lmdbStore(
  options: { readonly path: string } & Pick<StoreOptions, 'clock' | 'maxBytes' | 'onFailed'>,
): Promise<Store> {
  const { path, ...rest } = options;
  return createStore({ ...rest, durable: await openLmdbLog(path) });
}
