import { type KubeObject, keyOf, type ObjectRef } from '../client/objects.js';
import { matchesLabels } from '../selectors/label-requirement.js';
import { parseLabelSelector } from '../selectors/parse-label-selector.js';

/** Reads a cache. What it gives is frozen and shared: copy before changing. */
export interface Lister<T extends KubeObject = KubeObject> {
  get(ref: ObjectRef): Readonly<T> | undefined;
  /** Absent namespace: all. */
  list(options?: { namespace?: string | undefined; labelSelector?: string | undefined }): readonly T[];
  /** Objects for which the index function gave `key`. @throws RangeError when there is no such index. */
  byIndex(index: string, key: string): readonly T[];
}

/** Under which keys an object is found in an index: it must say the same of the same object each time. */
export type IndexFunction<T> = (object: T) => readonly string[];

/**
 * Objects by namespace and name, with indexes that are always in step.
 * An index function that throws files the object under no key of that index.
 */
export class ObjectStore<T extends KubeObject> implements Lister<T> {
  readonly #objects = new Map<string, T>();
  readonly #indexes = new Map<string, Index<T>>();
  readonly #byNamespace: Index<T> = new Index((object) => [object.metadata.namespace ?? '']);

  get size(): number {
    return this.#objects.size;
  }

  get({ namespace, name }: ObjectRef): T | undefined {
    return this.#objects.get(namespace ? `${namespace}/${name}` : name);
  }

  list(options: { namespace?: string | undefined; labelSelector?: string | undefined } = {}): readonly T[] {
    const { namespace, labelSelector } = options;
    const objects = namespace ? this.#byNamespace.at(namespace) : [...this.#objects.values()];
    if (!labelSelector) return objects;
    const requirements = parseLabelSelector(labelSelector);
    return objects.filter((object) => matchesLabels(requirements, object.metadata.labels));
  }

  byIndex(index: string, key: string): readonly T[] {
    const found = this.#indexes.get(index);
    if (!found) throw new RangeError(`there is no index "${index}"`);
    return found.at(key);
  }

  /** Adds an index over what is stored now and later. @throws RangeError when the name is taken by another function. */
  addIndex(name: string, keysOf: IndexFunction<T>): void {
    const existing = this.#indexes.get(name);
    if (existing?.keysOf === keysOf) return;
    if (existing) throw new RangeError(`there is an index "${name}" already`);
    const index = new Index(keysOf);
    for (const [key, object] of this.#objects) index.put(key, object);
    this.#indexes.set(name, index);
  }

  keys(): IterableIterator<string> {
    return this.#objects.keys();
  }

  /** Stores an object and gives back what was there before. */
  put(object: T): T | undefined {
    const key = keyOf(object);
    const previous = this.#objects.get(key);
    this.#objects.set(key, object);
    for (const index of this.#everyIndex()) index.put(key, object, previous);
    return previous;
  }

  /** Removes by key and gives back what was there. */
  remove(key: string): T | undefined {
    const previous = this.#objects.get(key);
    if (!previous) return undefined;
    this.#objects.delete(key);
    for (const index of this.#everyIndex()) index.remove(key, previous);
    return previous;
  }

  #everyIndex(): Index<T>[] {
    return [this.#byNamespace, ...this.#indexes.values()];
  }
}

class Index<T> {
  readonly keysOf: IndexFunction<T>;
  readonly #filed = new Map<string, Map<string, T>>();

  constructor(keysOf: IndexFunction<T>) {
    this.keysOf = keysOf;
  }

  at(indexKey: string): readonly T[] {
    return [...(this.#filed.get(indexKey)?.values() ?? [])];
  }

  put(key: string, object: T, previous?: T): void {
    const indexKeys = this.#safeKeysOf(object);
    for (const before of this.#keysOfStored(previous)) if (!indexKeys.includes(before)) this.#take(before, key);
    for (const indexKey of indexKeys) {
      const at = this.#filed.get(indexKey) ?? new Map<string, T>();
      this.#filed.set(indexKey, at.set(key, object));
    }
  }

  remove(key: string, previous: T): void {
    for (const indexKey of this.#keysOfStored(previous)) this.#take(indexKey, key);
  }

  #take(indexKey: string, key: string): void {
    const at = this.#filed.get(indexKey);
    at?.delete(key);
    if (at?.size === 0) this.#filed.delete(indexKey);
  }

  /** Objects do not change, so where one is filed need not be kept for each. */
  #keysOfStored(object: T | undefined): readonly string[] {
    return object === undefined ? [] : this.#safeKeysOf(object);
  }

  #safeKeysOf(object: T): readonly string[] {
    try {
      return this.keysOf(object);
    } catch {
      return [];
    }
  }
}
