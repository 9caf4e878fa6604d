import { type Clock, systemClock } from '@slipway/kube';

/**
 * A clock that is right now and passes `scale` times faster from here on. All that waits on it waits
 * as much shorter. It follows the monotonic time of `clock`, so it never jumps.
 */
export function scaledClock(scale: number, clock: Clock = systemClock): Clock {
  const startMs = clock.now();
  const startedMs = clock.monotonicMs();
  const passedMs = () => (clock.monotonicMs() - startedMs) * scale;
  return {
    now: () => Math.round(startMs + passedMs()),
    monotonicMs: passedMs,
    machineMs: () => clock.machineMs?.() ?? clock.monotonicMs(),
    after: (delayMs, run) => clock.after(delayMs / scale, run),
  };
}
