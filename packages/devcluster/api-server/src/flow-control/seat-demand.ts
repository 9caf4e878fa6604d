/** How many seats a level could use over a period. */
export interface Demand {
  readonly highest: number;
  readonly average: number;
  readonly deviation: number;
}

/** Watches how many requests run and wait, weighted by time. */
export class SeatDemand {
  #now = 0;
  #sinceMs: number;
  #startedMs: number;
  #highest = 0;
  #sum = 0;
  #squares = 0;

  constructor(nowMs: number) {
    this.#sinceMs = nowMs;
    this.#startedMs = nowMs;
  }

  /** One more, or one less. */
  add(change: 1 | -1, nowMs: number): void {
    this.#settle(nowMs);
    this.#now += change;
    if (this.#now > this.#highest) this.#highest = this.#now;
  }

  /** What was wanted since the last call; the next period begins. */
  take(nowMs: number): Demand {
    this.#settle(nowMs);
    const durationMs = nowMs - this.#startedMs;
    const average = durationMs > 0 ? this.#sum / durationMs : this.#now;
    const variance = durationMs > 0 ? Math.max(0, this.#squares / durationMs - average ** 2) : 0;
    const demand = { highest: this.#highest, average, deviation: Math.sqrt(variance) };
    this.#startedMs = nowMs;
    this.#highest = this.#now;
    this.#sum = 0;
    this.#squares = 0;
    return demand;
  }

  #settle(nowMs: number): void {
    const passedMs = nowMs - this.#sinceMs;
    this.#sinceMs = nowMs;
    this.#sum += this.#now * passedMs;
    this.#squares += this.#now ** 2 * passedMs;
  }
}
