import type { Clock, Timer } from '../clock/clock.js';

interface Due {
  readonly atMs: number;
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
  /** Timers, the first of them last: clusters set hundreds, and those that fire are taken from the end. */
  readonly #due: Due[] = [];

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
    const due: Due = { atMs: this.#elapsedMs + Math.max(0, delayMs), run };
    this.#due.splice(this.#firstUpTo(due.atMs), 0, due);
    return {
      cancel: () => {
        // Those of the same moment are behind the first of them.
        for (let at = this.#firstUpTo(due.atMs); this.#due[at]?.atMs === due.atMs; at += 1) {
          if (this.#due[at] !== due) continue;
          this.#due.splice(at, 1);
          return;
        }
      },
    };
  }

  /** Milliseconds until the next timer, or undefined when none is set. */
  nextTimerMs(): number | undefined {
    const next = this.#due.at(-1);
    return next && next.atMs - this.#elapsedMs;
  }

  /** Moves time forward, firing what falls due; promise jobs run before the first timer and after each. */
  async advance(byMs: number): Promise<void> {
    const untilMs = this.#elapsedMs + byMs;
    await settle();
    for (let next = this.#due.at(-1); next && next.atMs <= untilMs; next = this.#due.at(-1)) {
      this.#due.pop();
      this.#elapsedMs = next.atMs;
      next.run();
      await settle();
    }
    this.#elapsedMs = untilMs;
    await settle();
  }

  /** Index of the first timer that is due at `atMs` or before. */
  #firstUpTo(atMs: number): number {
    let [from, to] = [0, this.#due.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.#due[middle]?.atMs ?? atMs) > atMs) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}

/** Lets every promise job and immediate that is ready run. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
