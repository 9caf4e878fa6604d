import type { Clock, Timer } from '@slipway/kube';
import type { Entry, Store } from './store.js';

export interface ExpireRowsOptions {
  readonly store: Store;
  /** Which objects: their `storedAs`. */
  readonly resource: string;
  readonly timeToLiveMs: number;
  readonly clock: Clock;
  /** A removal failed; it is tried again after a while. */
  readonly onError: (error: unknown) => void;
}

/** A write, and when its object is to go unless it was written again. */
interface Due {
  readonly namespace: string;
  readonly name: string;
  readonly revision: number;
  readonly atMs: number;
}

const tryAgainMs = 60_000;
/** Rows removed before others get a turn: an hour's worth may fall due together. */
const atOnce = 500;

/**
 * Removes objects that nobody wrote to for `timeToLiveMs`. Of those that are there
 * at the start only the time of creation is known, so that counts for them.
 */
export function expireRows({ store, resource, timeToLiveMs, clock, onError }: ExpireRowsOptions): { close(): void } {
  /** The writes of the last while, soonest due first. Those that others followed are passed over when their time comes. */
  let due: Due[] = [];
  let passed = 0;
  let timer: Timer | undefined;
  let closed = false;

  function dueIn({ namespace, name, revision }: Entry, delayMs: number): void {
    due.push({ namespace, name, revision, atMs: Math.ceil(clock.monotonicMs() + delayMs) });
    timer ??= clock.after(delayMs, expire);
  }

  function expire(): void {
    timer = undefined;
    const nowMs = clock.monotonicMs();
    let removed = 0;
    for (; passed < due.length; passed += 1) {
      if (closed) return;
      const row = due[passed] as Due;
      if (row.atMs > nowMs || removed === atOnce) break;
      if (remove(row)) removed += 1;
    }
    if (passed > due.length / 2) {
      due = due.slice(passed);
      passed = 0;
    }
    const next = due[passed];
    if (next) timer = clock.after(Math.max(0, next.atMs - nowMs), expire);
  }

  /** Whether there was something to remove: what was written again falls due with that write. */
  function remove({ namespace, name, revision }: Omit<Due, 'atMs'>): boolean {
    const latest = store.latest(resource, namespace, name);
    if (latest?.revision !== revision) return false;
    store.remove(latest).catch((error: unknown) => {
      onError(error);
      clock.after(tryAgainMs, () => !closed && remove({ namespace, name, revision }));
    });
    return true;
  }

  const { entries, revision } = store.list(resource, {});
  const ages = entries.map((entry) => {
    const createdMs = Date.parse(entry.metadata.creationTimestamp ?? '') || clock.now();
    return { entry, leftMs: Math.max(0, timeToLiveMs - Math.max(0, clock.now() - createdMs)) };
  });
  for (const { entry, leftMs } of ages.sort((a, b) => a.leftMs - b.leftMs)) dueIn(entry, leftMs);
  const watch = store.watch(resource, revision, ({ type, entry }) => {
    if (type !== 'DELETED') dueIn(entry, timeToLiveMs);
  });
  return {
    close() {
      closed = true;
      timer?.cancel();
      watch.close();
    },
  };
}
