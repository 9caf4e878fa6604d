import type { Clock } from '@slipway/kube';
import { createStore } from './create-store.js';
import type { DurableLog } from './durable-log.js';
import type { Store } from './store.js';

/** A store that keeps nothing beyond the process: for `--ephemeral` and for tests. */
export function memoryStore(options: { readonly clock?: Clock; readonly maxBytes?: number } = {}): Store {
  return createStore({ ...options, durable: nothingDurable });
}

const nothingDurable: DurableLog = {
  load: () => ({ records: [], compacted: new Map() }),
  commit: () => Promise.resolve(),
  gather: (next) => queueMicrotask(next),
  close: () => Promise.resolve(),
};
