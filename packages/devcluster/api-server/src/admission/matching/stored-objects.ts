import type { KubeObject } from '@slipway/kube';
import type { Entry, Store } from '@slipway/object-store/store';

/** The objects of a resource as they are stored now. */
export interface StoredObjects {
  /** In the order of their namespaces and names. */
  all(): readonly KubeObject[];
  readonly isEmpty: boolean;
  close(): void;
}

/** Follows a resource; `onChange` is called after each write to it. */
export function followObjects(
  store: Pick<Store, 'list' | 'watch'>,
  resource: string,
  onChange: () => void,
): StoredObjects {
  const { entries, revision } = store.list(resource, {});
  const byKey = new Map(entries.map((entry) => [keyOf(entry), entry.object]));
  let sorted: readonly KubeObject[] | undefined;
  const watch = store.watch(resource, revision, ({ type, entry }) => {
    if (type === 'DELETED') byKey.delete(keyOf(entry));
    else byKey.set(keyOf(entry), entry.object);
    sorted = undefined;
    onChange();
  });
  return {
    all() {
      sorted ??= [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
      return sorted;
    },
    get isEmpty() {
      return byKey.size === 0;
    },
    close: () => watch.close(),
  };
}

function keyOf({ namespace, name }: Entry): string {
  return `${namespace}/${name}`;
}
