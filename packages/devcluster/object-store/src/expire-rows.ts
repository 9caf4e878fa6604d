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

/** A write of an object that is to go unless it was written again. */
interface Row {
  readonly namespace: string;
  readonly name: string;
  readonly revision: number;
}

const tryAgainMs = 60_000;
/** Rows removed before others get a turn: an hour's worth may fall due together. */
const atOnce = 500;

/**
 * Deletes objects that were not written for `timeToLiveMs`. Of those that are there
 * at the start only the time of creation is known, so that counts for them.
 */
export function expireRows({ store, resource, timeToLiveMs, clock, onError }: ExpireRowsOptions): { close(): void } {
  /**
   * The writes of the last while, soonest due first. Those that others followed are passed over when their time comes.
   */
  const due = new DueRows();
  let timer: Timer | undefined;
  let closed = false;

  function dueIn(row: Entry, delayMs: number): void {
    due.push(row, Math.ceil(clock.monotonicMs() + delayMs));
    timer ??= clock.after(delayMs, expire);
  }

  function expire(): void {
    timer = undefined;
    const nowMs = clock.monotonicMs();
    let removed = 0;
    while (due.firstMs <= nowMs && removed < atOnce) {
      if (closed) return;
      if (remove(due.takeFirst())) removed += 1;
    }
    if (due.firstMs < Number.POSITIVE_INFINITY) timer = clock.after(Math.max(0, due.firstMs - nowMs), expire);
  }

  /** Whether there was something to remove: what was written again falls due with that write. */
  function remove({ namespace, name, revision }: Row): boolean {
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

/**
 * Rows in the order in which they fall due. An hour holds many, so what is known of each stands in lists side by side.
 */
class DueRows {
  #namespaces: string[] = [];
  #names: string[] = [];
  #revisions: number[] = [];
  #atMs: number[] = [];
  #taken = 0;

  /** When the first one falls due; Infinity when there is none. */
  get firstMs(): number {
    return this.#atMs[this.#taken] ?? Number.POSITIVE_INFINITY;
  }

  push({ namespace, name, revision }: Row, atMs: number): void {
    this.#namespaces.push(namespace);
    this.#names.push(name);
    this.#revisions.push(revision);
    this.#atMs.push(atMs);
  }

  /** There must be one. */
  takeFirst(): Row {
    const at = this.#taken++;
    const row = {
      namespace: this.#namespaces[at] as string,
      name: this.#names[at] as string,
      revision: this.#revisions[at] as number,
    };
    if (this.#taken > this.#atMs.length / 2) this.#moveUp();
    return row;
  }

  #moveUp(): void {
    this.#namespaces = this.#namespaces.slice(this.#taken);
    this.#names = this.#names.slice(this.#taken);
    this.#revisions = this.#revisions.slice(this.#taken);
    this.#atMs = this.#atMs.slice(this.#taken);
    this.#taken = 0;
  }
}
