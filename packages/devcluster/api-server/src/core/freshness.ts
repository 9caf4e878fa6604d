import { timeout } from '@slipway/api-machinery/errors/status-errors';
import type { ResourceDefinition } from '../registry/resource-definition.js';
import type { Core } from './core.js';

const patienceMs = 3_000;

type Expiring = Pick<ResourceDefinition, 'timeToLiveMs'>;

/**
 * Waits until the store has reached a revision that a client has seen elsewhere.
 *
 * @throws StatusError Timeout with cause ResourceVersionTooLarge after three seconds.
 */
export function waitForRevision(core: Core, revision: number, { timeToLiveMs }: Expiring = {}): Promise<void> {
  if (core.store.revision >= revision) return Promise.resolve();
  // Kubernetes has no cache of what expires, and asks etcd, which does not wait.
  if (timeToLiveMs !== undefined) return Promise.reject(tooLargeVersion(revision, core.store.revision, undefined));
  return new Promise((resolve, reject) => {
    const writes = core.store.onRevision((reached) => {
      if (reached < revision) return;
      writes.close();
      timer.cancel();
      resolve();
    });
    const timer = core.clock.after(patienceMs, () => {
      writes.close();
      reject(tooLargeVersion(revision, core.store.revision, 1));
    });
  });
}

/** 504 for a revision that this server has not reached. */
export function tooLargeVersion(asked: number, current: number, retryAfterSeconds: number | undefined) {
  return timeout(`Too large resource version: ${asked}, current: ${current}`, retryAfterSeconds, [
    { reason: 'ResourceVersionTooLarge', message: 'Too large resource version' },
  ]);
}
