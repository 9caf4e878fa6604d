import { Counter, type Labels, type Sample } from '@slipway/feature-gates/metrics';

/** Sums up for how many seconds a state lasted, including states that still last. */
export class RunningTime {
  readonly #total = new Counter();
  readonly #since = new Map<string, number>();

  /** Records whether the state of `key` holds now; its time counts under `labels`. */
  note(key: string, labels: Labels, isSo: boolean, nowMs: number): void {
    const sinceMs = this.#since.get(key);
    if (sinceMs !== undefined) this.#total.add(labels, (nowMs - sinceMs) / 1000);
    if (isSo) this.#since.set(key, nowMs);
    else this.#since.delete(key);
  }

  samples(): Iterable<Sample> {
    return this.#total.samples();
  }
}
