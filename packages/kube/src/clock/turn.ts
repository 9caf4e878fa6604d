import type { Clock } from './clock.js';

/** How long work may go on in one iteration of the event loop before it yields. */
const maxMs = 8;

/** When the current iteration began, by each clock that was read in it. */
const began = new Map<Clock, number>();

/**
 * A promise to wait for when this iteration of the event loop has lasted 8 ms on the machine of `clock`; undefined
 * before. Work that needs no I/O would otherwise block the process until all of it is done. With a clock that only
 * moves when stepped the answer is always undefined, so that a test plays the same story in the same order.
 */
export function restAfterLongTurn(clock: Clock): Promise<void> | undefined {
  const nowMs = clock.machineMs?.();
  if (nowMs === undefined) return undefined;
  const beganMs = began.get(clock);
  if (beganMs !== undefined) {
    return nowMs - beganMs < maxMs ? undefined : new Promise((resolve) => setImmediate(resolve));
  }
  if (began.size === 0) setImmediate(() => began.clear());
  began.set(clock, nowMs);
  return undefined;
}
