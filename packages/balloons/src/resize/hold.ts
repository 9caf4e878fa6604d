/** How long a size is left alone that could not be had, in milliseconds. */
const firstHoldMs = 15_000;
const maxHoldMs = 30 * 60_000;

/** Keeps a resize that failed from being tried again at once. */
export interface Hold {
  /** What was tried: another spec or other hardware is tried without a delay. */
  readonly attempt: string;
  /** Monotonic. */
  readonly untilMs: number;
  readonly times: number;
}

/** Returns the hold after a failure, which is twice as long as the one before and at least `minMs`. */
export function holdAfterFailure(before: Hold | undefined, attempt: string, nowMs: number, minMs = 0): Hold {
  const times = before?.attempt === attempt ? before.times + 1 : 1;
  const holdMs = Math.max(minMs, Math.min(maxHoldMs, firstHoldMs * 2 ** (times - 1)));
  return { attempt, untilMs: nowMs + holdMs, times };
}

/** Returns for how many milliseconds an attempt is not repeated; 0 when it may be. */
export function holdLeftMs(hold: Hold | undefined, attempt: string, nowMs: number): number {
  return hold?.attempt === attempt ? Math.max(0, hold.untilMs - nowMs) : 0;
}
