import { createStore, type StoreOptions } from './create-store.js';
import type { DurableLog } from './durable-log.js';
import type { Store } from './store.js';

/** A store that keeps nothing beyond the process: for `--ephemeral` and for tests. */
export function memoryStore(options: Omit<StoreOptions, 'durable'> = {}): Store {
  return createStore({ ...options, durable: nothingDurable() });
}

function nothingDurable(): DurableLog {
  return {
    load: () => ({ records: [], compacted: new Map() }),
    commit: () => Promise.resolve(),
    gather: inTurns(),
    close: () => Promise.resolve(),
  };
}

/**
 * So many commits follow one another at once before the event loop gets its turn: with all that each sets off, some
 * milliseconds.
 */
const commitsPerTurn = 2;

/**
 * At once, for nothing has to be waited for. But components in this process answer each other's
 * writes with writes: without a pause they would block the event loop until all are done.
 */
function inTurns(): DurableLog['gather'] {
  let commits = 0;
  const nextTurn = () => {
    commits = 0;
  };
  return (next) => {
    if (commits === 0) setImmediate(nextTurn);
    commits += 1;
    if (commits <= commitsPerTurn) queueMicrotask(next);
    else setImmediate(next);
  };
}
