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

const tryAgainMs = 60_000;
/** Rows removed before others get a turn: an hour's worth may fall due together. */
const atOnce = 500;

/**
 * Removes objects that nobody wrote to for `timeToLiveMs`. Of those that are there
 * at the start only the time of creation is known, so that counts for them.
 */
export function expireRows({ store, resource, timeToLiveMs, clock, onError }: ExpireRowsOptions): { close(): void } {
  /** When each object falls due, soonest first: every write moves its object to the end. */
  const due = new Map<string, { readonly entry: Entry; readonly atMs: number }>();
  let timer: Timer | undefined;
  let closed = false;

  const keyOf = ({ namespace, name }: Entry) => `${namespace}/${name}`;

  function dueIn(entry: Entry, delayMs: number): void {
    due.delete(keyOf(entry));
    due.set(keyOf(entry), { entry, atMs: clock.monotonicMs() + delayMs });
    timer ??= clock.after(delayMs, expire);
  }

  function expire(): void {
    timer = undefined;
    const nowMs = clock.monotonicMs();
    let removed = 0;
    for (const [key, { entry, atMs }] of due) {
      if (closed) return;
      if (atMs > nowMs || removed === atOnce) break;
      due.delete(key);
      removed += 1;
      remove(entry);
    }
    const [next] = due.values();
    if (next && !timer) timer = clock.after(Math.max(0, next.atMs - nowMs), expire);
  }

  function remove(entry: Entry): void {
    const { namespace, name, revision } = entry;
    const latest = store.latest(resource, namespace, name);
    // Written again and not durable yet: its event will say so.
    if (latest?.revision !== revision) return;
    store.remove(latest).catch((error: unknown) => {
      onError(error);
      clock.after(tryAgainMs, () => !closed && remove(entry));
    });
  }

  const { entries, revision } = store.list(resource, {});
  const ages = entries.map((entry) => {
    const createdMs = Date.parse(entry.metadata.creationTimestamp ?? '') || clock.now();
    return { entry, leftMs: Math.max(0, timeToLiveMs - Math.max(0, clock.now() - createdMs)) };
  });
  for (const { entry, leftMs } of ages.sort((a, b) => a.leftMs - b.leftMs)) dueIn(entry, leftMs);
  const watch = store.watch(resource, revision, ({ type, entry }) => {
    if (type === 'DELETED') due.delete(keyOf(entry));
    else dueIn(entry, timeToLiveMs);
  });
  return {
    close() {
      closed = true;
      timer?.cancel();
      watch.close();
    },
  };
}
