import type { KubeObject } from '@slipway/kube';
import type { Store } from '@slipway/object-store/store';

/** What keeps pods from nodes that are new, or were not heard of for long, until the node controller lifts it. */
const keepingOut = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

/** Resolves when the scheduler may use each of these nodes that there is, as far as that depends on being ready. */
export function openNodes(store: Store, names: readonly string[], signal: AbortSignal): Promise<void> {
  const closed = new Set(names.filter((name) => isClosed(store.get('nodes', '', name)?.object)));
  if (closed.size === 0 || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      watch.close();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const watch = store.watch('nodes', store.revision, ({ type, entry }) => {
      if (type !== 'DELETED' && isClosed(entry.object)) return;
      closed.delete(entry.name);
      if (closed.size === 0) done();
    });
    signal.addEventListener('abort', done, { once: true });
  });
}

function isClosed(node: KubeObject | undefined): boolean {
  const taints: readonly { key: string; effect: string }[] = node?.spec?.taints ?? [];
  return taints.some(({ key, effect }) => keepingOut.includes(key) && effect === 'NoSchedule');
}
