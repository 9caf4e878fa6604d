import type { FeatureGate } from '@slipway/feature-gates';

/** Something that ends. */
export interface Stoppable {
  stop(): Promise<void>;
}

/**
 * Holds reporting back until the cluster serves what reports are written to, and
 * from then on begins with each component's start.
 */
export class LateReporting {
  readonly #waiting = new Set<() => void>();
  #begun = false;

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
    for (const start of this.#waiting) start();
    this.#waiting.clear();
  }
}
