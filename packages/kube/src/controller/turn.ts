import type { Clock } from '../clock/clock.js';

/** What goes on without waiting for anything may do so for this long before others have their turn. */
const longestMs = 8;

/** When the turn began, by each clock that was asked in it. */
const began = new Map<Clock, number>();

/**
 * Something to wait for when this turn of the event loop has lasted 8 ms of the machine that `clock` is of; undefined
 * before. Work that happens to need no answer from anybody would otherwise keep everybody waiting until all of it is
 * done. By a clock that only moves when told to no turn lasts, so that the same story is always told in the same order.
 */
export function restAfterLongTurn(clock: Clock): Promise<void> | undefined {
  const nowMs = clock.machineMs?.() ?? clock.monotonicMs();
  const beganMs = began.get(clock);
  if (beganMs !== undefined) {
    return nowMs - beganMs < longestMs ? undefined : new Promise((resolve) => setImmediate(resolve));
  }
  if (began.size === 0) setImmediate(() => began.clear());
  began.set(clock, nowMs);
  return undefined;
}
