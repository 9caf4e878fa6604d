import { freezeJson } from '../client/json.js';
import type { Logger } from '../log/logger.js';
import { type KubeObject, keyOf } from '../transport/objects.js';
import { type IndexFunction, type Lister, ObjectStore } from './object-store.js';
import type { ReflectorSink } from './reflector.js';

/** What happened to one object. Objects are frozen and shared. */
export interface Change<T extends KubeObject = KubeObject> {
  readonly type: 'added' | 'updated' | 'deleted';
  /** The state now; for `deleted` the last one known. */
  readonly object: T;
  /** The state handlers saw before; set for `updated`. */
  readonly previous?: T;
  /** The deletion itself was missed: `object` may be older than what was deleted. */
  readonly finalStateUnknown?: boolean;
}

/** A cache of the objects of one resource that keeps itself up to date, whatever the connection does. */
export interface Informer<T extends KubeObject = KubeObject> {
  readonly lister: Lister<T>;
  /** Whether the first list is in: before that, that an object is missing means nothing. */
  synced(): boolean;
  /** Waits for the first list, for as long as it takes. Rejects when `signal` aborts. */
  whenSynced(signal?: AbortSignal): Promise<void>;
  /**
   * Calls `handler` after the cache took each change, in order; first, before this
   * returns, with what is in the cache already. Changes that follow one another
   * quickly may be seen as one. An error of a handler is logged and affects no other handler.
   */
  onChange(handler: (change: Change<T>) => void): { close(): void };
  /** Files objects under the keys `keysOf` gives, for `lister.byIndex`. @throws RangeError when the name is taken. */
  addIndex(name: string, keysOf: IndexFunction<T>): void;
  /** Starts watching; further calls do nothing. Needs no server to be there. */
  start(): void;
  /** Stops for good. The cache stays readable as it was. */
  stop(): Promise<void>;
}

export interface InformerDeps<T extends KubeObject> {
  /** Fills the sink until `signal` aborts, as `Reflector.run` does. */
  readonly reflect: (sink: ReflectorSink<T>, signal: AbortSignal) => Promise<void>;
  /** What is kept of each object, for example without managed fields. Gets a frozen object and returns another. */
  readonly transform?: ((object: T) => T) | undefined;
  readonly log: Logger;
}

/** An informer around whatever fills its sink. */
export function createInformer<T extends KubeObject>({ reflect, transform, log }: InformerDeps<T>): Informer<T> {
  const store = new ObjectStore<T>();
  const handlers = new Set<{ readonly handle: (change: Change<T>) => void }>();
  const stopping = new AbortController();
  let isSynced = false;
  let running: Promise<void> | undefined;
  let markSynced = () => {};
  const firstList = new Promise<void>((resolve) => {
    markSynced = resolve;
  });

  const tell = (handler: { handle: (change: Change<T>) => void }, change: Change<T>) => {
    try {
      handler.handle(change);
    } catch (error) {
      log.error('a change handler failed', { kind: change.object.kind, object: keyOf(change.object), error });
    }
  };
  const tellAll = (changes: readonly Change<T>[]) => {
    for (const change of changes) for (const handler of [...handlers]) tell(handler, change);
  };
  const kept = (object: T): T => {
    if (!transform) return freezeJson(object);
    try {
      return freezeJson(transform(freezeJson(object)));
    } catch (error) {
      log.error('a transform failed, the object is kept whole', { object: keyOf(object), error });
      return object;
    }
  };

  const keptOfPage = new WeakSet<T>();
  const sink: ReflectorSink<T> = {
    keep(object) {
      const slim = kept(object);
      keptOfPage.add(slim);
      return slim;
    },
    replace(items) {
      const fresh = items.map((object) => (keptOfPage.has(object) ? object : kept(object)));
      const present = new Set(fresh.map(keyOf));
      const gone = [...store.keys()].filter((key) => !present.has(key));
      const deleted = gone.flatMap((key) => {
        const object = store.remove(key);
        return object ? [{ type: 'deleted', object, finalStateUnknown: true } as const] : [];
      });
      const written = fresh.flatMap((object) => changesOf(object, store.put(object)));
      tellAll([...deleted, ...written]);
      isSynced = true;
      markSynced();
    },
    put(object) {
      const now = kept(object);
      tellAll(changesOf(now, store.put(now)));
    },
    remove(object) {
      if (store.remove(keyOf(object))) tellAll([{ type: 'deleted', object: kept(object) }]);
    },
  };

  return {
    lister: store,
    synced: () => isSynced,
    whenSynced: (signal) => untilAborted(firstList, signal),
    onChange(handle) {
      const handler = { handle };
      handlers.add(handler);
      for (const object of store.list()) tell(handler, { type: 'added', object });
      return { close: () => void handlers.delete(handler) };
    },
    addIndex: (name, keysOf) => store.addIndex(name, keysOf),
    start() {
      if (!stopping.signal.aborted) running ??= reflect(sink, stopping.signal);
    },
    async stop() {
      stopping.abort(new Error('the informer was stopped'));
      await running;
    },
  };
}

/** What a write means to handlers. Another uid under the same name is another object: the one before was deleted unseen. */
function changesOf<T extends KubeObject>(object: T, previous: T | undefined): Change<T>[] {
  if (!previous) return [{ type: 'added', object }];
  if (previous.metadata.uid !== object.metadata.uid) {
    return [
      { type: 'deleted', object: previous, finalStateUnknown: true },
      { type: 'added', object },
    ];
  }
  const isSame = previous.metadata.resourceVersion === object.metadata.resourceVersion;
  return isSame ? [] : [{ type: 'updated', object, previous }];
}

function untilAborted(promise: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    promise.then(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, reject);
  });
}
