/** Time, handed in. The clock of `@slipway/kube` fits as it is. */
export interface PullClock {
  /** Wall-clock time in milliseconds since the Unix epoch. May jump. */
  now(): number;
  /** Milliseconds since an arbitrary start. Never goes back. */
  monotonicMs(): number;
  /** Runs `run` once after `delayMs`, unless cancelled. */
  after(delayMs: number, run: () => void): { cancel(): void };
}

/** What a timer of this platform takes at most; a longer one would fire at once. */
const longestMs = 2 ** 31 - 1;

/** The time of this machine. Its timers do not keep the process alive. */
export const systemClock: PullClock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, Math.min(longestMs, Math.max(0, delayMs)));
    timer.unref();
    return { cancel: () => clearTimeout(timer) };
  },
};
