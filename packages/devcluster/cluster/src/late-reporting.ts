import type { FeatureGate } from '@slipway/feature-gates';
import type { Clock } from '@slipway/kube';

/** Something that ends. */
export interface Stoppable {
  stop(): Promise<void>;
}

/** Of many components so many begin at a time: together they would be turned away by the API server. */
const atOnce = 200;
const betweenMs = 250;

/**
 * Holds reporting back until the cluster serves what reports are written to, and
 * from then on begins with each component's start.
 */
export class LateReporting {
  readonly #waiting = new Set<() => void>();
  readonly #clock: Clock;
  #begun = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Has `start` called now or once reporting begins, unless stopped before. */
  report(gate: FeatureGate, start: (gate: FeatureGate) => Stoppable): Stoppable {
    let reporting: Stoppable | undefined;
    const begin = () => {
      reporting = start(gate);
    };
    if (this.#begun) begin();
    else this.#waiting.add(begin);
    return {
      stop: async () => {
        this.#waiting.delete(begin);
        await reporting?.stop();
      },
    };
  }

  begin(): void {
    this.#begun = true;
    for (const start of [...this.#waiting].slice(0, atOnce)) {
      this.#waiting.delete(start);
      start();
    }
    if (this.#waiting.size > 0) this.#clock.after(betweenMs, () => this.begin());
  }
}
