import { type Clock, type KubeObject, keyOf, systemClock } from '@slipway/kube';
import { CommitQueue } from './commit-queue.js';
import { type DurableLog, type LogRecord, StorageFailedError, StorageFullError } from './durable-log.js';
import { entryOf, type StoredEntry, storageKey, tombstoneOf } from './entry.js';
import { defaultHistoryLimits, History, type HistoryLimits, type KeptEvent } from './history.js';
import { emptyTable, type KeptTable, loadTables } from './load-tables.js';
import { type KeepsTexts, OffHeapTexts } from './off-heap-texts.js';
import { ParsedObjects } from './parsed-objects.js';
import { showInTurns } from './show-in-turns.js';
import { differencesAt, pageOf } from './snapshot.js';
import { CompactedError, type Entry, type ListPage, type Store, type StoreEvent } from './store.js';

export interface StoreOptions {
  readonly durable: DurableLog;
  /** Judges the age of history. Default: the time of this machine. */
  readonly clock?: Clock;
  /** Where texts are kept. Default: off the heap. */
  readonly texts?: KeepsTexts;
  /** Default: 500 events and 5 minutes per resource, within 64 MiB for all. */
  readonly history?: HistoryLimits;
  /** Bytes of JSON that may be stored; beyond it only removals are accepted. Default: 1 GiB. */
  readonly maxBytes?: number;
  /** Called once, when `durable` failed and nothing is accepted any more. */
  readonly onFailed?: (error: StorageFailedError) => void;
}

/** One resource: what is durable, the newest write of each key that is still on its way, and who watches. */
interface Table extends KeptTable {
  readonly pending: Map<string, Write>;
  readonly watchers: Set<Watcher>;
}

interface Write {
  readonly table: Table;
  readonly key: string;
  readonly kind: 'put' | 'remove';
  readonly entry: StoredEntry;
  readonly record: LogRecord;
  /** The write of the same key that this one was computed from, while that is on its way too. */
  follows: Write | undefined;
  state: 'pending' | 'durable' | 'failed';
  resolve: (entry: Entry) => void;
  reject: (error: unknown) => void;
}

interface Watcher {
  readonly onEvent: (event: StoreEvent) => void;
  seen: number;
}

/**
 * The store itself: an index in memory, recent history, and writes that become
 * visible only once `durable` has taken them.
 */
export function createStore(options: StoreOptions): Store {
  const { durable, clock = systemClock, history: limits = defaultHistoryLimits, maxBytes = 1024 ** 3 } = options;
  const { texts = new OffHeapTexts() } = options;
  const parsed = new ParsedObjects();
  const listeners = new Set<(revision: number) => void>();
  let forget: number[] = [];
  let compacted = new Map<string, number>();
  const history = new History(limits, clock, (event) => {
    if (event.previous) forget.push(event.previous.revision);
    if (event.type === 'DELETED') forget.push(event.entry.revision);
    compacted.set(event.entry.resource, event.entry.revision);
  });
  const tables = new Map<string, Table>();
  const kept = loadTables(durable.load(), history, (entry) => {
    entry.shareIn(parsed);
    entry.keepIn(texts);
  });
  let { revision, bytes } = kept;
  let head = revision;
  let closed = false;
  let failed: StorageFailedError | undefined;
  for (const [resource, table] of kept.tables) tables.set(resource, watchable(table));
  const queue = new CommitQueue<Write>({ gather: (next) => durable.gather(next), commit: commitBatch });

  async function commitBatch(batch: readonly Write[]): Promise<void> {
    const error = await persist(batch);
    if (error === undefined) return showInTurns(batch, show);
    if (!(error instanceof StorageFullError)) return giveUp(batch, error);
    // A full disk still takes removals; those that follow a refused put go down with it.
    const removals = leadingRemovals(batch);
    const refused = batch.filter((write) => !removals.includes(write));
    fail(refused, error);
    if (removals.length === 0 || refused.length === 0) return fail(removals, error);
    const again = await persist(removals);
    if (again === undefined) await showInTurns(removals, show);
    else if (again instanceof StorageFullError) fail(removals, again);
    else giveUp(removals, again);
  }

  /** After a failed write it is not known what is on disk: whatever were acknowledged from here on might be gone. */
  function giveUp(batch: readonly Write[], cause: unknown): void {
    failed = new StorageFailedError('the data could not be written, so the store accepts nothing any more', { cause });
    fail(batch, failed);
    fail(
      queue.withdraw(() => true),
      failed,
    );
    options.onFailed?.(failed);
  }

  /** The error, if the batch did not become durable. */
  async function persist(batch: readonly Write[]): Promise<unknown> {
    const commit = { records: batch.map(({ record }) => record), forget, compacted };
    forget = [];
    compacted = new Map();
    try {
      await durable.commit(commit);
      return undefined;
    } catch (error) {
      forget = commit.forget.concat(forget);
      compacted = new Map([...commit.compacted, ...compacted]);
      return error ?? new Error('the write could not be made durable');
    }
  }

  function show(batch: readonly Write[]): void {
    for (const write of batch) {
      const { table, key, entry } = write;
      const previous = table.entries.get(key);
      if (write.kind === 'put') table.entries.set(key, entry);
      else table.entries.delete(key);
      if (previous) bytes -= previous.size;
      write.state = 'durable';
      write.follows = undefined;
      if (table.pending.get(key) === write) table.pending.delete(key);
      revision = entry.revision;

      const event = eventOf(write, previous);
      history.add(table.ring, event);
      entry.shareIn(parsed);
      for (const watcher of table.watchers) deliver(table, watcher, event);
      entry.keepIn(texts);
      previous?.supersede(entry);
      write.resolve(entry);
    }
    for (const listener of [...listeners]) guarded(() => listener(revision));
  }

  /** Rejects `writes` and everything computed from them; the state before them is the latest again. */
  function fail(writes: readonly Write[], error: unknown): void {
    const broken = new Set(writes);
    const dependent = queue.withdraw((write) => {
      const depends = write.follows !== undefined && broken.has(write.follows);
      if (depends) broken.add(write);
      return depends;
    });
    for (const write of [...writes, ...dependent]) {
      write.state = 'failed';
      if (write.kind === 'put') bytes -= write.entry.size;
    }
    for (const { table, key } of broken) {
      let newest = table.pending.get(key);
      while (newest && newest.state !== 'pending') newest = newest.follows;
      if (newest) table.pending.set(key, newest);
      else table.pending.delete(key);
    }
    for (const write of writes) write.reject(error);
    for (const write of dependent) {
      const what = `${write.entry.resource} "${write.key}"`;
      write.reject(new Error(`the write of ${what} that this one followed did not become durable`, { cause: error }));
    }
  }

  function tableOf(resource: string): Table {
    let table = tables.get(resource);
    if (!table) {
      table = watchable(emptyTable(history.ring(resource)));
      tables.set(resource, table);
    }
    return table;
  }

  function latestOf(table: Table, key: string): StoredEntry | undefined {
    const pending = table.pending.get(key);
    if (!pending) return table.entries.get(key);
    return pending.kind === 'put' ? pending.entry : undefined;
  }

  function enqueue(table: Table, key: string, kind: 'put' | 'remove', entry: StoredEntry, json: string) {
    head = entry.revision;
    if (kind === 'put') bytes += json.length;
    return new Promise<Entry>((resolve, reject) => {
      const { resource, namespace, name } = entry;
      const record = { kind, revision: entry.revision, resource, namespace, name, json };
      const follows = table.pending.get(key);
      const write: Write = { table, key, kind, entry, record, follows, state: 'pending', resolve, reject };
      table.pending.set(key, write);
      queue.add(write);
    });
  }

  function requireExpectedEntry(table: Table, resource: string, key: string, basis: Entry | undefined): void {
    if (latestOf(table, key) === basis) return;
    throw new Error(`a write of ${resource} "${key}" was computed from a state that is not the latest`);
  }

  function refusedNow(): Error | undefined {
    return failed ?? (closed ? new Error('the store is closed') : undefined);
  }

  return {
    get revision() {
      return revision;
    },
    get: (resource, namespace, name) => tables.get(resource)?.entries.get(storageKey(namespace, name)),
    latest(resource, namespace, name) {
      const table = tables.get(resource);
      return table && latestOf(table, storageKey(namespace, name));
    },
    *all() {
      for (const { entries, pending } of tables.values()) {
        for (const [key, entry] of entries.range('')) if (!pending.has(key)) yield entry;
        for (const { kind, entry } of pending.values()) if (kind === 'put') yield entry;
      }
    },
    visible(resource, namespace, name) {
      const pending = tables.get(resource)?.pending.get(storageKey(namespace, name));
      return pending && visible(pending);
    },
    async settled() {
      await Promise.all([...tables.values()].flatMap(({ pending }) => [...pending.values()].map(visible)));
    },
    put(resource, object, basis) {
      const table = tableOf(resource);
      const key = keyOf(object);
      requireExpectedEntry(table, resource, key, basis);
      const refusal = refusedNow();
      if (refusal) return Promise.reject(refusal);
      const entry = entryOf(resource, object, head + 1);
      if (bytes + entry.size - (basis?.size ?? 0) > maxBytes) {
        return Promise.reject(new StorageFullError(`the store holds ${bytes} bytes, its limit is ${maxBytes}`));
      }
      return enqueue(table, key, 'put', entry, entry.json);
    },
    remove(basis, finalState) {
      const { resource } = basis;
      const table = tableOf(resource);
      const key = storageKey(basis.namespace, basis.name);
      requireExpectedEntry(table, resource, key, basis);
      const refusal = refusedNow();
      if (refusal) return Promise.reject(refusal);
      const entry = finalState ? finalEntry(basis, finalState, head + 1) : tombstoneOf(basis as StoredEntry, head + 1);
      return enqueue(table, key, 'remove', entry, finalState ? entry.json : '');
    },
    list(resource, { namespace, limit, after, atRevision }): ListPage {
      const table = tableOf(resource);
      const at = atRevision ?? revision;
      requireRevisionReached(at, revision);
      const differences = at === revision ? undefined : differencesAt(table.ring, at);
      return { revision: at, ...pageOf(table.entries, differences, { namespace, limit, after }) };
    },
    watch(resource, sinceRevision, onEvent) {
      const table = tableOf(resource);
      requireRevisionReached(sinceRevision, revision);
      const watcher: Watcher = { onEvent, seen: sinceRevision };
      const known = table.ring.since(sinceRevision);
      table.watchers.add(watcher);
      for (const event of known) deliver(table, watcher, event);
      return { close: () => void table.watchers.delete(watcher) };
    },
    onRevision(onWrite) {
      listeners.add(onWrite);
      return { close: () => void listeners.delete(onWrite) };
    },
    async close() {
      if (closed) return;
      closed = true;
      texts.close();
      await queue.idle();
      await durable.close();
    },
  };
}

/** Resolves once a write is visible, or has failed. */
function visible(pending: Write): Promise<void> {
  const { resolve, reject } = pending;
  return new Promise<void>((tell) => {
    pending.resolve = (entry) => tell(resolve(entry));
    pending.reject = (error) => tell(reject(error));
  });
}

function watchable(table: KeptTable): Table {
  return { ...table, pending: new Map(), watchers: new Set() };
}

/** A revision this store never gave out belongs to another one; whoever holds it must list again. */
function requireRevisionReached(asked: number, revision: number): void {
  if (asked > revision)
    throw new CompactedError(`resource version ${asked} is not known here, the newest is ${revision}`);
}

function finalEntry(basis: Entry, finalState: KubeObject, revision: number): StoredEntry {
  const entry = entryOf(basis.resource, finalState, revision);
  if (entry.name === basis.name && entry.namespace === basis.namespace) return entry;
  throw new Error(`the final state of ${basis.resource} "${basis.name}" is that of another object`);
}

/** The removals of a batch that do not build on anything else in it: the first write of their key. */
function leadingRemovals(batch: readonly Write[]): readonly Write[] {
  const inBatch = new Set(batch);
  return batch.filter(({ kind, follows }) => kind === 'remove' && !(follows && inBatch.has(follows)));
}

function eventOf({ kind, entry }: Write, previous: StoredEntry | undefined): KeptEvent {
  if (kind === 'remove') return { type: 'DELETED', entry, ...(previous && { previous }) };
  return previous ? { type: 'MODIFIED', entry, previous } : { type: 'ADDED', entry };
}

/** Once per event and watcher, also when a watcher was opened while this event was being handed out. */
function deliver(table: Table, watcher: Watcher, event: KeptEvent): void {
  if (!table.watchers.has(watcher) || event.entry.revision <= watcher.seen) return;
  watcher.seen = event.entry.revision;
  guarded(() => watcher.onEvent(event));
}

/** A listener that throws is a bug; it surfaces as uncaught, outside of the commit it must not disturb. */
function guarded(notify: () => void): void {
  try {
    notify();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
