import { backoffMs } from '../lifecycle/backoff.js';

const firstMs = 1_000;
const mostMs = 60_000;

/**
 * Holds something back that failed for a Feature, whatever changes meanwhile: what failed, or was done before it, would
 * otherwise be done again at each change.
 */
export class FailureBackoff {
  readonly #monotonicMs: () => number;
  readonly #failures = new Map<string, { readonly count: number; readonly untilMs: number }>();

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
  }

  /** How long to leave the Feature of a key alone; 0 when it may be tried again. */
  waitMs(key: string): number {
    return Math.max(0, (this.#failures.get(key)?.untilMs ?? 0) - this.#monotonicMs());
  }

  /** `chance` is from 0 up to 1. */
  failed(key: string, chance: number): void {
    const count = (this.#failures.get(key)?.count ?? 0) + 1;
    this.#failures.set(key, { count, untilMs: this.#monotonicMs() + backoffMs(count, firstMs, mostMs, chance) });
  }

  succeeded(key: string): void {
    this.#failures.delete(key);
  }
}
