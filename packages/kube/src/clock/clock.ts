/**
 * Time, handed in: everything that waits or dates takes a `Clock`, so that tests
 * step time instead of sleeping and a cluster can run faster than the wall.
 */
export interface Clock {
  /** Wall-clock time in milliseconds since the Unix epoch. May jump. */
  now(): number;
  /** Milliseconds since an arbitrary start. Never goes back; judge expiry by this. */
  monotonicMs(): number;
  /** Milliseconds that passed on this machine, whatever the pace of this clock. Absent: the clock only moves when stepped. */
  machineMs?(): number;
  /** Runs `run` once after `delayMs`, unless cancelled. Never keeps the process alive by itself. */
  after(delayMs: number, run: () => void): Timer;
}

export interface Timer {
  cancel(): void;
}

/** The time of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  machineMs: () => performance.now(),
  after(delayMs, run) {
    // Node fires timers above 2^31-1 ms at once; a month is long enough to be asked again.
    const handle = setTimeout(run, Math.min(delayMs, 2_147_483_647));
    handle.unref();
    return { cancel: () => clearTimeout(handle) };
  },
};

/** Waits `delayMs` on `clock`. Rejects with the signal's reason as soon as `signal` aborts. */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const timer = clock.after(delayMs, () => {
      signal?.removeEventListener('abort', stop);
      resolve();
    });
    const stop = () => {
      timer.cancel();
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', stop, { once: true });
  });
}
