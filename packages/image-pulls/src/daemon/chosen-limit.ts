import type { PullClock } from '../limiter/clock.js';

/** Who said how many pulls there are at once: `bypass`, `manual`, `configuration` or the path of a kubelet's file. */
export type LimitSource = string;

/** A limit that a person set; without `forMs` it holds until the configuration is read again. */
export interface ManualLimit {
  readonly limit: number;
  readonly forMs?: number;
}

/**
 * Which limit holds: none while bypassed, else what a person set by hand, else what is configured. A limit by hand
 * lasts as long as was said, or until the configuration is read again.
 */
export class ChosenLimit {
  readonly #clock: PullClock;
  readonly #apply: (limit: number, source: LimitSource) => void;
  #configured: { readonly limit: number; readonly source: LimitSource };
  #manual: { readonly limit: number; readonly untilMs: number | undefined } | undefined;
  #timer: { cancel(): void } | undefined;
  #bypassed = false;

  constructor(options: {
    readonly clock: PullClock;
    readonly limit: number;
    readonly source: LimitSource;
    readonly apply: (limit: number, source: LimitSource) => void;
  }) {
    this.#clock = options.clock;
    this.#apply = options.apply;
    this.#configured = options;
  }

  configured(limit: number, source: LimitSource): void {
    this.#configured = { limit, source };
    if (this.#manual?.untilMs === undefined) this.#manual = undefined;
    this.#choose();
  }

  /** `forMs` undefined holds until the configuration is read again. */
  manual(limit: number, forMs: number | undefined): void {
    this.#timer?.cancel();
    this.#manual = { limit, untilMs: forMs === undefined ? undefined : this.#clock.monotonicMs() + forMs };
    if (forMs !== undefined) this.#timer = this.#clock.after(forMs, () => this.#expire());
    this.#choose();
  }

  /** The limit that was set by hand, and for how much longer. */
  get byHand(): ManualLimit | undefined {
    if (!this.#manual) return undefined;
    const { limit, untilMs } = this.#manual;
    return { limit, ...(untilMs !== undefined && { forMs: untilMs - this.#clock.monotonicMs() }) };
  }

  bypass(on: boolean): void {
    this.#bypassed = on;
    this.#choose();
  }

  close(): void {
    this.#timer?.cancel();
  }

  #expire(): void {
    this.#manual = undefined;
    this.#choose();
  }

  #choose(): void {
    if (this.#bypassed) this.#apply(0, 'bypass');
    else if (this.#manual) this.#apply(this.#manual.limit, 'manual');
    else this.#apply(this.#configured.limit, this.#configured.source);
  }
}
