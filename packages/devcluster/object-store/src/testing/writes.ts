import type { KubeObject } from '@slipway/kube';
import type { Entry, StoreEvent } from '../store.js';

/** Lets everything happen that waits for no disk. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** `value` is beside its metadata, for telling states apart. */
export function aPod(name: string, more: Partial<KubeObject['metadata']> & { value?: number } = {}): KubeObject {
  const { value = 0, ...metadata } = more;
  return { apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'n', name, uid: `uid-${name}`, ...metadata }, value };
}

/** Returns an object that shows the outcome of a write, without waiting for it. */
export function outcome(write: Promise<Entry>): { readonly is: string } {
  const seen = { is: 'pending' };
  write.then(
    () => {
      seen.is = 'durable';
    },
    () => {
      seen.is = 'failed';
    },
  );
  return seen;
}

export const names = (entries: readonly Entry[]) => entries.map(({ name }) => name);
export const told = ({ type, entry }: StoreEvent) => `${type} ${entry.name} ${entry.revision}`;
