import type { GateClock } from '../uses/clock.js';

/** A clock that moves when told to, and lets everything that is ready run between two timers. */
export class StepClock implements GateClock {
  #elapsedMs = 0;
  #timers: { readonly atMs: number; readonly run: () => void }[] = [];

  now(): number {
    return Date.UTC(2026, 0, 1) + this.#elapsedMs;
  }

  monotonicMs(): number {
    return this.#elapsedMs;
  }

  after(delayMs: number, run: () => void): { cancel(): void } {
    const timer = { atMs: this.#elapsedMs + delayMs, run };
    this.#timers.push(timer);
    return {
      cancel: () => {
        this.#timers = this.#timers.filter((other) => other !== timer);
      },
    };
  }

  /** How many timers are set: none may be left when everything was stopped. */
  get pending(): number {
    return this.#timers.length;
  }

  async advance(byMs: number): Promise<void> {
    const untilMs = this.#elapsedMs + byMs;
    await settled();
    for (;;) {
      const next = this.#timers.toSorted((a, b) => a.atMs - b.atMs)[0];
      if (!next || next.atMs > untilMs) break;
      this.#timers = this.#timers.filter((other) => other !== next);
      this.#elapsedMs = Math.max(this.#elapsedMs, next.atMs);
      next.run();
      await settled();
    }
    this.#elapsedMs = untilMs;
  }
}

/** Lets promise jobs run until none is left. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
