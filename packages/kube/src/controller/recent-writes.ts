import type { Clock } from '../clock/clock.js';
import { timestamp } from '../clock/timestamp.js';
import { type KubeObject, keyOf, type ObjectRef } from '../transport/objects.js';
import type { Informer } from '../watch/informer.js';

interface Write<T> {
  /** The object as written; with a deletionTimestamp when its deletion was asked for. */
  readonly object: T;
  readonly isDeletion: boolean;
  readonly uid: string;
  readonly revision: number;
  readonly untilMs: number;
}

/**
 * A cache that also knows what its own process wrote a moment ago.
 *
 * An informer learns of our writes a little later than we do. A controller that
 * decides from it alone creates a pod twice, or deletes one too many. This view lays
 * our writes over the informer until it has caught up, so every decision sees
 * at least what was decided before. A write whose event never comes (made and undone
 * while the watch was away) is forgotten after half a minute.
 *
 * Revisions are compared as numbers, which Kubernetes guarantees from 1.35 on and
 * has always been true of etcd and of our own store.
 */
export class RecentWrites<T extends KubeObject> {
  readonly #informer: Informer<T>;
  readonly #clock: Clock;
  readonly #writes = new Map<string, Write<T>>();
  /** UIDs of objects seen to go, newest last: an answer may arrive after the deletion it precedes. */
  readonly #gone = new Set<string>();

  constructor(informer: Informer<T>, clock: Clock) {
    this.#informer = informer;
    this.#clock = clock;
    informer.onChange((event) => {
      const { uid = '' } = event.object.metadata;
      const key = keyOf(event.object);
      const write = this.#writes.get(key);
      if (event.type === 'deleted') this.#rememberGone(uid);
      if (!write) return;
      const caughtUp = event.type === 'deleted' ? write.uid === uid : this.#shows(event.object, write);
      if (caughtUp) this.#writes.delete(key);
    });
  }

  /** How many writes are laid over what the informer shows. */
  get size(): number {
    return this.#writes.size;
  }

  /** An object was created or updated; `object` is the server's answer. */
  wrote(object: T): T {
    this.#remember(object, false);
    return object;
  }

  /** Deletion of `object` was asked for and accepted: until its event comes it is seen as terminating. */
  deleted(object: T): void {
    const deletionTimestamp = timestamp(this.#clock.now());
    this.#remember({ ...object, metadata: { deletionTimestamp, ...object.metadata } }, true);
  }

  /** The newest known state of one object. */
  get(ref: ObjectRef): T | undefined {
    const write = this.#freshWrite(
      keyOf({ metadata: { name: ref.name, ...(ref.namespace && { namespace: ref.namespace }) } }),
    );
    return write?.object ?? this.#informer.lister.get(ref);
  }

  /**
   * The newest known state of `cached`, with what we created. `belongs` picks, among
   * our own writes, those that would be in `cached`.
   */
  over(cached: readonly T[], belongs: (object: T) => boolean): readonly T[] {
    if (this.#writes.size === 0) return cached;
    const objects = new Map(cached.map((object) => [keyOf(object), object]));
    for (const key of [...this.#writes.keys()]) {
      const write = this.#freshWrite(key);
      if (!write) continue;
      if (belongs(write.object)) objects.set(key, write.object);
      else objects.delete(key);
    }
    return [...objects.values()];
  }

  #freshWrite(key: string): Write<T> | undefined {
    const write = this.#writes.get(key);
    if (!write || write.untilMs > this.#clock.monotonicMs()) return write;
    this.#writes.delete(key);
    return undefined;
  }

  #remember(object: T, isDeletion: boolean): void {
    const { name = '', namespace, uid = '', resourceVersion } = object.metadata;
    if (this.#gone.has(uid)) return;
    const write: Write<T> = {
      object,
      isDeletion,
      uid,
      revision: Number(resourceVersion ?? 0),
      untilMs: this.#clock.monotonicMs() + 30_000,
    };
    const cached = this.#informer.lister.get({ name, namespace });
    if (cached && this.#shows(cached, write)) return;
    this.#forgetOld();
    const key = keyOf(object);
    this.#writes.delete(key);
    this.#writes.set(key, write);
  }

  /** Objects created and deleted while the watch was away may never be requested again. The oldest write comes first. */
  #forgetOld(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [key, { untilMs }] of this.#writes) {
      if (untilMs > nowMs) return;
      this.#writes.delete(key);
    }
  }

  /** Whether `seen` is at least as new as our write. Another UID means that the name was taken anew. */
  #shows(seen: KubeObject, write: Write<T>): boolean {
    const revision = Number(seen.metadata.resourceVersion ?? 0);
    if (seen.metadata.uid !== write.uid) return revision > write.revision;
    return write.isDeletion ? seen.metadata.deletionTimestamp !== undefined : revision >= write.revision;
  }

  #rememberGone(uid: string): void {
    this.#gone.add(uid);
    const [oldest] = this.#gone;
    if (this.#gone.size > 1000 && oldest !== undefined) this.#gone.delete(oldest);
  }
}
