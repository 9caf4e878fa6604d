import { backoffMs } from '../lifecycle/backoff.js';

const firstMs = 1_000;
const mostMs = 60_000;

/**
 * Holds a Feature back whose status could not be written, whatever changes meanwhile: what was done before the write
 * would otherwise be done again at each change.
 */
export class WriteBackoff {
  readonly #monotonicMs: () => number;
  readonly #failures = new Map<string, { readonly count: number; readonly untilMs: number }>();

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
  }

  /** How long to leave the Feature of a key alone; 0 when it may be written. */
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
