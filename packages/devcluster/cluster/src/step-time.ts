import { type Clock, systemClock } from '@slipway/kube';
import type { Activity } from './activity.js';

/** A clock that moves when told to; `ManualClock` of `@slipway/kube/testing` is one. */
export interface SteppedClock extends Clock {
  /** Milliseconds until the next timer, or undefined when none is set. */
  nextTimerMs(): number | undefined;
  /** Moves time forward, firing what falls due. */
  advance(byMs: number): Promise<void>;
}

/**
 * Moves time forward from one timer to the next, and lets what each of them sets off come to
 * rest before the next. So a step of an hour does what an hour would have done.
 * @throws TypeError when the clock passes by itself
 */
export async function stepTime(clock: Clock, activity: Activity, byMs: number): Promise<void> {
  if (!isStepped(clock)) throw new TypeError('the time of this cluster passes by itself: hand it a ManualClock');
  const rest = () => activity.rest(() => systemClock.monotonicMs());
  await rest();
  let leftMs = byMs;
  for (let next = clock.nextTimerMs(); next !== undefined && next <= leftMs; next = clock.nextTimerMs()) {
    leftMs -= next;
    await clock.advance(next);
    await rest();
  }
  await clock.advance(leftMs);
}

function isStepped(clock: Clock): clock is SteppedClock {
  return 'advance' in clock && 'nextTimerMs' in clock;
}
