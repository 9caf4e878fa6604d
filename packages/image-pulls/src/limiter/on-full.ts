import type { Caller } from './queue-state.js';

/** What a call does while no slot is free. Times in milliseconds. */
export type OnFull =
  /** Waits in order, without limit or for `maxWaitMs`. */
  | { readonly mode: 'wait'; readonly maxWaitMs?: number | undefined }
  /**
   * Looks once, then `attempts` times `intervalMs` apart, and is refused after the last look. With
   * `wakeEarly` it keeps its position in the queue in between and starts as soon as it can.
   */
  | { readonly mode: 'retry'; readonly attempts: number; readonly intervalMs: number; readonly wakeEarly: boolean }
  /** Is refused at once. */
  | { readonly mode: 'fail' };

/** The proposal: "retry 3 times and wait 10s interval for 30s". */
export const proposedRetry: OnFull = { mode: 'retry', attempts: 3, intervalMs: 10_000, wakeEarly: true };

/** Returns how long a caller that asked at `askedAtMs` waits, and when it checks. */
export function patience(
  onFull: OnFull,
  askedAtMs: number,
): Pick<Caller, 'giveUpAtMs' | 'lookEveryMs' | 'nextLookAtMs'> {
  const early = { lookEveryMs: 0, nextLookAtMs: askedAtMs };
  switch (onFull.mode) {
    case 'wait':
      return { giveUpAtMs: askedAtMs + (onFull.maxWaitMs ?? Infinity), ...early };
    case 'fail':
      return { giveUpAtMs: askedAtMs, ...early };
    case 'retry': {
      const { attempts, intervalMs, wakeEarly } = onFull;
      const giveUpAtMs = askedAtMs + attempts * intervalMs;
      return { giveUpAtMs, ...early, lookEveryMs: wakeEarly ? 0 : intervalMs };
    }
  }
}
