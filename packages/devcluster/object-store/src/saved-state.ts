import { copyWith, type KubeObject, sameJson } from '@slipway/kube';
import { storageKey } from './entry.js';
import type { Entry, Store } from './store.js';

/** The objects of a store at one moment, by resource and key. */
export class SavedState {
  readonly #entries = new Map<string, Entry>();

  constructor(entries: Iterable<Entry>) {
    for (const entry of entries) this.#entries.set(placeOf(entry), entry);
  }

  get size(): number {
    return this.#entries.size;
  }

  /**
   * Writes what makes the store hold these objects again, all in one turn: what was created since is removed, what was
   * changed or removed since is written as it was, UIDs and times included, and what is the same stays untouched. Each is
   * a write with a revision of its own, which watchers see. Resolves when all of them are visible.
   * @param isKept whether an object is left as it is, or gone as it is
   */
  async restore(store: Store, isKept: (entry: Entry) => boolean): Promise<void> {
    const current = new Map<string, Entry>();
    for (const entry of store.all()) if (!isKept(entry)) current.set(placeOf(entry), entry);
    const added = [...current.values()].filter((entry) => !this.#entries.has(placeOf(entry)));
    const wanted = [...this.#entries.values()].filter((entry) => !isKept(entry));
    const changed = wanted.filter((entry) => !isSame(entry, current.get(placeOf(entry))));
    // A controller that sees an owner sees its dependents too, or else would replace them.
    const removals = ownersFirst(added).map((entry) => store.remove(entry));
    const puts = ownersFirst(changed)
      .reverse()
      .map((entry) => store.put(entry.resource, entry.object, current.get(placeOf(entry))));
    for (const entry of await Promise.all(puts)) this.#entries.set(placeOf(entry), entry);
    await Promise.all(removals);
    await store.settled();
  }
}

function placeOf({ resource, namespace, name }: Entry): string {
  return `${resource}/${storageKey(namespace, name)}`;
}

/** Whether two entries hold the same object, whenever it was written. */
function isSame(saved: Entry, current: Entry | undefined): boolean {
  if (saved.revision === current?.revision) return true;
  return current !== undefined && sameJson(withoutRevision(saved.object), withoutRevision(current.object));
}

function withoutRevision(object: KubeObject): KubeObject {
  return copyWith(object, { metadata: copyWith(object.metadata, { resourceVersion: '' }) }) as KubeObject;
}

/** Orders objects so that each comes after those of its owners that are among them. */
function ownersFirst(entries: readonly Entry[]): Entry[] {
  const byUid = new Map(entries.map((entry) => [entry.metadata.uid, entry]));
  const ordered = new Set<Entry>();
  const visit = (entry: Entry, below: ReadonlySet<Entry>) => {
    if (ordered.has(entry) || below.has(entry)) return;
    const path = new Set([...below, entry]);
    for (const { uid } of entry.metadata.ownerReferences ?? []) {
      const owner = byUid.get(uid);
      if (owner) visit(owner, path);
    }
    ordered.add(entry);
  };
  for (const entry of entries) visit(entry, new Set());
  return [...ordered];
}
