/** Time, handed in. The clock of `@slipway/kube` fits as it is. */
export interface GateClock {
  /** Wall-clock time in milliseconds since the Unix epoch. May jump. */
  now(): number;
  /** Milliseconds since an arbitrary start. Never goes back. */
  monotonicMs(): number;
  /** Runs `run` once after `delayMs`, unless cancelled, without keeping the process alive. */
  after(delayMs: number, run: () => void): { cancel(): void };
}

/** The time of this machine. */
export const systemClock: GateClock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    timer.unref?.();
    return { cancel: () => clearTimeout(timer) };
  },
};

/** Waits for `waiting` and keeps the process alive meanwhile, which the timers of a clock do not. */
export async function keepProcessAlive<Result>(waiting: Promise<Result>): Promise<Result> {
  const timer = setInterval(() => {}, 2_147_483_647);
  try {
    return await waiting;
  } finally {
    clearInterval(timer);
  }
}

/** Waits. Resolves early, never rejects, when `signal` aborts. */
export function pause(clock: GateClock, delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const finish = () => {
      timer.cancel();
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const timer = clock.after(delayMs, finish);
    signal.addEventListener('abort', finish, { once: true });
  });
}

/**
 * Gives `run` at most `limitMs`, even when it ignores the signal it is handed.
 * Rejects when the time is over or `outer` aborts.
 */
export function withinTime<T>(
  clock: GateClock,
  limitMs: number,
  outer: AbortSignal,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const inner = new AbortController();
  return new Promise<T>((resolve, reject) => {
    const giveUp = (reason: unknown) => {
      finish();
      inner.abort(reason);
      reject(reason);
    };
    const stopped = () => giveUp(outer.reason);
    const timer = clock.after(limitMs, () => giveUp(new Error(`no answer after ${limitMs / 1000} s`)));
    const finish = () => {
      timer.cancel();
      outer.removeEventListener('abort', stopped);
    };
    if (outer.aborted) return stopped();
    outer.addEventListener('abort', stopped, { once: true });
    // Started inside a promise, so that a transport that throws at once is a rejection like any other.
    Promise.resolve(inner.signal).then(run).finally(finish).then(resolve, reject);
  });
}
