import { SavedState } from '@slipway/object-store/saved-state';
import type { Entry, Store } from '@slipway/object-store/store';
import type { Cluster, ClusterSnapshot } from './cluster.js';

/** Returns the part of a cluster that remembers its objects, and restores them. */
export function clusterSnapshots(store: Store): Pick<Cluster, 'snapshot' | 'restore'> {
  const states = new WeakMap<ClusterSnapshot, SavedState>();
  return {
    async snapshot() {
      const state = new SavedState(store.all());
      const snapshot = { objects: state.size };
      states.set(snapshot, state);
      return snapshot;
    },
    async restore(snapshot) {
      const state = states.get(snapshot);
      if (!state) throw new TypeError('the snapshot is not one of this cluster');
      await state.restore(store, isHeartbeat);
    },
  };
}

/** Leases of components and nodes say what runs now; an older one would make its holder look dead. */
function isHeartbeat({ resource, namespace }: Entry): boolean {
  return resource === 'leases.coordination.k8s.io' && ['kube-system', 'kube-node-lease'].includes(namespace);
}
