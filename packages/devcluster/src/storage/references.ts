import { type StoredEntry, storageKey } from './entry.js';

/**
 * Finds entries by namespace, by owner and by UID. Holds every entry that is
 * stored or on its way, so for a moment two states of one object.
 */
export class References {
  readonly #uids = new Map<string, number>();
  readonly #byOwner = new Map<string, Set<StoredEntry>>();
  readonly #byNamespace = new Map<string, Set<StoredEntry>>();

  add(entry: StoredEntry): void {
    this.#uids.set(entry.uid, (this.#uids.get(entry.uid) ?? 0) + 1);
    for (const owner of entry.ownerUids) put(this.#byOwner, owner, entry);
    if (entry.namespace !== '') put(this.#byNamespace, entry.namespace, entry);
  }

  remove(entry: StoredEntry): void {
    const left = (this.#uids.get(entry.uid) ?? 0) - 1;
    if (left > 0) this.#uids.set(entry.uid, left);
    else this.#uids.delete(entry.uid);
    for (const owner of entry.ownerUids) take(this.#byOwner, owner, entry);
    if (entry.namespace !== '') take(this.#byNamespace, entry.namespace, entry);
  }

  hasUid(uid: string): boolean {
    return this.#uids.has(uid);
  }

  ownedBy(uid: string): readonly StoredEntry[] {
    return newestOfEach(this.#byOwner.get(uid));
  }

  inNamespace(namespace: string): readonly StoredEntry[] {
    return newestOfEach(this.#byNamespace.get(namespace));
  }
}

function put(index: Map<string, Set<StoredEntry>>, key: string, entry: StoredEntry): void {
  const known = index.get(key);
  if (known) known.add(entry);
  else index.set(key, new Set([entry]));
}

function take(index: Map<string, Set<StoredEntry>>, key: string, entry: StoredEntry): void {
  const known = index.get(key);
  known?.delete(entry);
  if (known?.size === 0) index.delete(key);
}

function newestOfEach(entries: Iterable<StoredEntry> = []): readonly StoredEntry[] {
  const newest = new Map<string, StoredEntry>();
  for (const entry of entries) {
    const key = `${entry.resource}/${storageKey(entry.namespace, entry.name)}`;
    const other = newest.get(key);
    if (!other || other.revision < entry.revision) newest.set(key, entry);
  }
  return [...newest.values()];
}
