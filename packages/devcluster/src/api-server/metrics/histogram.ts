import type { Labels, Sample } from './exposition.js';

/** Counts how often values fell below each of some bounds. */
export class Histogram {
  readonly #bounds: readonly number[];
  readonly #counts: number[];
  #count = 0;
  #sum = 0;

  /** `bounds` in rising order; above the last is a bucket without one. */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = bounds.map(() => 0);
  }

  /** How many values there were. */
  get count(): number {
    return this.#count;
  }

  observe(value: number): void {
    this.#count++;
    this.#sum += value;
    // Most values are small: from below, the first bound is found soon.
    for (let index = 0; index < this.#bounds.length; index++) {
      if (value > (this.#bounds[index] ?? 0)) continue;
      this.#counts[index] = (this.#counts[index] ?? 0) + 1;
      return;
    }
  }

  /** Its samples; a bucket holds what the buckets below it hold. */
  *samples(labels: Labels): Iterable<Sample> {
    let below = 0;
    for (const [index, bound] of this.#bounds.entries()) {
      below += this.#counts[index] ?? 0;
      yield { labels: { ...labels, le: String(bound) }, value: below, suffix: '_bucket' };
    }
    yield { labels: { ...labels, le: '+Inf' }, value: this.#count, suffix: '_bucket' };
    yield { labels, value: this.#sum, suffix: '_sum' };
    yield { labels, value: this.#count, suffix: '_count' };
  }
}
