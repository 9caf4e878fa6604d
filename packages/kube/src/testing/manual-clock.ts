import type { Clock, Timer } from '../clock/clock.js';

interface Due {
  readonly atMs: number;
  readonly order: number;
  readonly run: () => void;
}

/**
 * A clock that only moves when told to. Timers due at the same moment fire in the
 * order they were set, and a timer set while advancing fires in the same advance
 * when it falls due within it.
 */
export class ManualClock implements Clock {
  readonly #epochMs: number;
  #elapsedMs = 0;
  #order = 0;
  #due: Due[] = [];

  constructor(startMs = Date.UTC(2026, 0, 1)) {
    this.#epochMs = startMs;
  }

  now(): number {
    return this.#epochMs + this.#elapsedMs;
  }

  monotonicMs(): number {
    return this.#elapsedMs;
  }

  after(delayMs: number, run: () => void): Timer {
    const due: Due = { atMs: this.#elapsedMs + Math.max(0, delayMs), order: this.#order++, run };
    this.#due.push(due);
    return {
      cancel: () => {
        this.#due = this.#due.filter((other) => other !== due);
      },
    };
  }

  /** Milliseconds until the next timer, or undefined when none is set. */
  nextTimerMs(): number | undefined {
    const next = this.#next();
    return next && next.atMs - this.#elapsedMs;
  }

  /** Moves time forward, firing what falls due; promise jobs run before the first timer and after each. */
  async advance(byMs: number): Promise<void> {
    const untilMs = this.#elapsedMs + byMs;
    await settle();
    for (let next = this.#next(); next && next.atMs <= untilMs; next = this.#next()) {
      const fired = next;
      this.#due = this.#due.filter((other) => other !== fired);
      this.#elapsedMs = fired.atMs;
      fired.run();
      await settle();
    }
    this.#elapsedMs = untilMs;
    await settle();
  }

  #next(): Due | undefined {
    return this.#due.reduce<Due | undefined>(
      (first, due) =>
        !first || due.atMs < first.atMs || (due.atMs === first.atMs && due.order < first.order) ? due : first,
      undefined,
    );
  }
}

/** Lets every promise job and immediate that is ready run. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
