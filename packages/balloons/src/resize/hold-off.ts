/** How long a size is left alone that could not be had, in milliseconds. */
const firstHoldMs = 15_000;
const longestHoldMs = 30 * 60_000;

interface Hold {
  readonly generation: number;
  readonly untilMs: number;
  readonly times: number;
}

/** Keeps what failed from being tried again at once. A new spec is a new chance. */
export class HoldOff {
  readonly #holds = new Map<string, Hold>();

  /** A resize of this spec failed. */
  note(node: string, generation: number, nowMs: number, atLeastMs = 0): void {
    const before = this.#holds.get(node);
    const times = before?.generation === generation ? before.times + 1 : 1;
    const holdMs = Math.max(atLeastMs, Math.min(longestHoldMs, firstHoldMs * 2 ** (times - 1)));
    this.#holds.set(node, { generation, untilMs: nowMs + holdMs, times });
  }

  clear(node: string): void {
    this.#holds.delete(node);
  }

  /** How long this spec is still left alone; 0 when it is not. */
  leftMs(node: string, generation: number, nowMs: number): number {
    const hold = this.#holds.get(node);
    return hold?.generation === generation ? Math.max(0, hold.untilMs - nowMs) : 0;
  }
}
