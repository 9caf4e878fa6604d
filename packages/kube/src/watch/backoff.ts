/**
 * How long to wait before trying again: doubles from `minMs` to `maxMs`, with up to
 * half as much again on top so that many clients do not come back in step.
 */
export class Backoff {
  readonly #minMs: number;
  readonly #maxMs: number;
  readonly #random: () => number;
  #failures = 0;

  /** `random` gives numbers from 0 up to 1. */
  constructor(options: { minMs: number; maxMs: number; random: () => number }) {
    this.#minMs = options.minMs;
    this.#maxMs = options.maxMs;
    this.#random = options.random;
  }

  /** Whether nothing failed since the start or the last `reset`. */
  get isFresh(): boolean {
    return this.#failures === 0;
  }

  /** The wait for this failure, never below `minMs` or above `maxMs`; the next one is longer. */
  next(): number {
    const stepMs = this.#minMs * 2 ** Math.min(this.#failures++, 40);
    return Math.min(this.#maxMs, stepMs * (1 + this.#random() / 2));
  }

  /** All is well: the next failure counts as the first. */
  reset(): void {
    this.#failures = 0;
  }
}
