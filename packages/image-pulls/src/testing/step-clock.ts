import type { PullClock } from '../limiter/clock.js';

/** A clock that only moves when told to. */
export class StepClock implements PullClock {
  #nowMs = 0;
  #due: { readonly atMs: number; readonly run: () => void }[] = [];

  now(): number {
    return 1_700_000_000_000 + this.#nowMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, run: () => void): { cancel(): void } {
    const timer = { atMs: this.#nowMs + Math.max(0, delayMs), run };
    this.#due.push(timer);
    return {
      cancel: () => {
        this.#due = this.#due.filter((other) => other !== timer);
      },
    };
  }

  /** Moves time forward, firing what falls due in order; promise jobs run after each. */
  async advance(byMs: number): Promise<void> {
    const untilMs = this.#nowMs + byMs;
    await settled();
    for (;;) {
      const next = this.#due.filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs)[0];
      if (!next) break;
      this.#due = this.#due.filter((other) => other !== next);
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.run();
      await settled();
    }
    this.#nowMs = untilMs;
  }
}

/** Resolves when the promise jobs that wait now have run. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
