import { storageKey } from '@slipway/object-store/entry';
import type { Entry, Store } from '@slipway/object-store/store';

/**
 * The pods of each node, as the API server of Kubernetes has them at hand for `spec.nodeName=`: who looks after one node
 * asks for its pods, and must not cost the more the more nodes there are. Made when first asked for.
 */
export class PodsByNode {
  readonly #store: Store;
  readonly #nodeOf = new Map<string, string>();
  #byNode: Map<string, Map<string, Entry>> | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  /** The pods on a node as they are at the store's revision, in the order of lists. */
  on(nodeName: string): readonly Entry[] {
    this.#byNode ??= this.#follow(new Map());
    const pods = [...(this.#byNode.get(nodeName) ?? [])];
    return pods.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
  }

  #follow(byNode: Map<string, Map<string, Entry>>): Map<string, Map<string, Entry>> {
    const take = (key: string) => {
      const nodeName = this.#nodeOf.get(key) ?? '';
      const there = byNode.get(nodeName);
      there?.delete(key);
      if (there?.size === 0) byNode.delete(nodeName);
      this.#nodeOf.delete(key);
    };
    const put = (entry: Entry) => {
      const key = keyOf(entry);
      const nodeName = String(entry.object.spec?.nodeName ?? '');
      if (this.#nodeOf.get(key) !== nodeName) take(key);
      if (nodeName === '') return;
      this.#nodeOf.set(key, nodeName);
      byNode.set(nodeName, (byNode.get(nodeName) ?? new Map()).set(key, entry));
    };
    const { entries, revision } = this.#store.list(resource, {});
    for (const entry of entries) put(entry);
    this.#store.watch(resource, revision, ({ type, entry }) => (type === 'DELETED' ? take(keyOf(entry)) : put(entry)));
    return byNode;
  }
}

const resource = 'pods';

function keyOf({ namespace, name }: Entry): string {
  return storageKey(namespace, name);
}
