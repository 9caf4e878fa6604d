import { timeout } from '@slipway/api-machinery/errors/status-errors';
import type { Core } from './core.js';

const patienceMs = 3_000;

/**
 * Waits until the store has reached a revision that a client has seen elsewhere.
 *
 * @throws StatusError Timeout with cause ResourceVersionTooLarge after three seconds.
 */
export function waitForRevision(core: Core, revision: number): Promise<void> {
  if (core.store.revision >= revision) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const writes = core.store.onRevision((reached) => {
      if (reached < revision) return;
      writes.close();
      timer.cancel();
      resolve();
    });
    const timer = core.clock.after(patienceMs, () => {
      writes.close();
      reject(tooLargeVersion(revision, core.store.revision));
    });
  });
}

/** 504 for a revision that this server has not reached. */
export function tooLargeVersion(asked: number, current: number) {
  return timeout(`Too large resource version: ${asked}, current: ${current}`, 1, [
    { reason: 'ResourceVersionTooLarge', message: 'Too large resource version' },
  ]);
}
