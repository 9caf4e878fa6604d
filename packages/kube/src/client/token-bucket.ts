import type { Clock } from '../clock/clock.js';

/**
 * Allows `perSecond` on average and `burst` at once. Places are handed out in the
 * order they are asked for; who comes too early is told how long to wait.
 */
export class TokenBucket {
  readonly #clock: Clock;
  readonly #perMs: number;
  readonly #burst: number;
  readonly #maxDebt: number;
  #tokens: number;
  #filledAtMs: number;

  /** `maxWaitMs`: no wait is longer, however many ask; the rate is exceeded rather than that. */
  constructor(options: { clock: Clock; perSecond: number; burst: number; maxWaitMs?: number }) {
    if (!(options.perSecond > 0) || !(options.burst >= 1)) {
      throw new RangeError('a bucket needs a rate above 0 and a burst of at least 1');
    }
    this.#clock = options.clock;
    this.#perMs = options.perSecond / 1000;
    this.#burst = options.burst;
    this.#maxDebt = (options.maxWaitMs ?? Number.POSITIVE_INFINITY) * this.#perMs;
    this.#tokens = options.burst;
    this.#filledAtMs = options.clock.monotonicMs();
  }

  /** Takes a place; the answer is how many milliseconds from now it may be used. */
  reserve(): number {
    this.#fill();
    this.#tokens = Math.max(this.#tokens - 1, -this.#maxDebt);
    return this.#tokens >= 0 ? 0 : -this.#tokens / this.#perMs;
  }

  /** Takes a place if one is free now. */
  tryTake(): boolean {
    this.#fill();
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  #fill(): void {
    const nowMs = this.#clock.monotonicMs();
    this.#tokens = Math.min(this.#burst, this.#tokens + (nowMs - this.#filledAtMs) * this.#perMs);
    this.#filledAtMs = nowMs;
  }
}
