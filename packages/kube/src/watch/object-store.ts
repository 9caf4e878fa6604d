import { matchesLabels } from '../selectors/label-requirement.js';
import { parseLabelSelector } from '../selectors/parse-label-selector.js';
import { type KubeObject, keyOf, type ObjectRef } from '../transport/objects.js';

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
  /** Made when first asked for: most caches are only asked for all, or by an index. */
  #byNamespace: Index<T> | undefined;

  get size(): number {
    return this.#objects.size;
  }

  get({ namespace, name }: ObjectRef): T | undefined {
    return this.#objects.get(namespace ? `${namespace}/${name}` : name);
  }

  list(options: { namespace?: string | undefined; labelSelector?: string | undefined } = {}): readonly T[] {
    const { namespace, labelSelector } = options;
    const objects = namespace ? this.#inNamespace(namespace) : [...this.#objects.values()];
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
    this.#indexes.set(name, this.#indexed(keysOf));
  }

  keys(): IterableIterator<string> {
    return this.#objects.keys();
  }

  /** Stores an object and gives back what was there before. */
  put(object: T): T | undefined {
    const key = keyOf(object);
    const previous = this.#objects.get(key);
    this.#objects.set(key, object);
    for (const index of this.#everyIndex()) index.put(object, previous);
    return previous;
  }

  /** Removes by key and gives back what was there. */
  remove(key: string): T | undefined {
    const previous = this.#objects.get(key);
    if (!previous) return undefined;
    this.#objects.delete(key);
    for (const index of this.#everyIndex()) index.remove(previous);
    return previous;
  }

  #inNamespace(namespace: string): readonly T[] {
    this.#byNamespace ??= this.#indexed((object) => [object.metadata.namespace ?? '']);
    return this.#byNamespace.at(namespace);
  }

  #indexed(keysOf: IndexFunction<T>): Index<T> {
    const index = new Index(keysOf);
    for (const object of this.#objects.values()) index.put(object);
    return index;
  }

  #everyIndex(): readonly Index<T>[] {
    const named = [...this.#indexes.values()];
    return this.#byNamespace ? [this.#byNamespace, ...named] : named;
  }
}

class Index<T> {
  readonly keysOf: IndexFunction<T>;
  readonly #filed = new Map<string, Set<T>>();

  constructor(keysOf: IndexFunction<T>) {
    this.keysOf = keysOf;
  }

  at(indexKey: string): readonly T[] {
    return [...(this.#filed.get(indexKey) ?? [])];
  }

  put(object: T, previous?: T): void {
    if (previous !== undefined) this.remove(previous);
    for (const indexKey of this.#safeKeysOf(object)) {
      const at = this.#filed.get(indexKey) ?? new Set<T>();
      this.#filed.set(indexKey, at.add(object));
    }
  }

  /** Objects do not change, so where one is filed need not be kept for each. */
  remove(previous: T): void {
    for (const indexKey of this.#safeKeysOf(previous)) {
      const at = this.#filed.get(indexKey);
      at?.delete(previous);
      if (at?.size === 0) this.#filed.delete(indexKey);
    }
  }

  #safeKeysOf(object: T): readonly string[] {
    try {
      return this.keysOf(object);
    } catch {
      return [];
    }
  }
}
