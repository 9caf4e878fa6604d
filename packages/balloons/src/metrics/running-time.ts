import { Counter, type Labels, type Sample } from '@slipway/feature-gates/metrics';

/** For how long something was so, in seconds, counted while it is still so. */
export class RunningTime {
  readonly #total = new Counter();
  readonly #since = new Map<string, number>();

  /** Says whether it is so now; `key` tells whose it is, and `labels` under which it is counted. */
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
