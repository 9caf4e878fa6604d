import { join, resolve } from 'node:path';

/** Where things lie in a data directory. */
export interface DataDir {
  readonly path: string;
  readonly version: string;
  readonly lock: string;
  readonly socket: string;
  readonly pki: string;
  readonly store: string;
  readonly kubeconfig: string;
  /** What a cluster in the background writes to stderr. */
  readonly log: string;
}

export function dataDirAt(folder: string): DataDir {
  const path = resolve(folder);
  return {
    path,
    version: join(path, 'VERSION'),
    lock: join(path, 'LOCK'),
    socket: join(path, 'control.sock'),
    pki: join(path, 'pki'),
    store: join(path, 'store.mdb'),
    kubeconfig: join(path, 'kubeconfig'),
    log: join(path, 'up.log'),
  };
}
