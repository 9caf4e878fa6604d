import type { Labels, Sample } from './metric-text.js';

/** Numbers that only grow, one per combination of labels. */
export class Counter {
  readonly #series = new Map<string, { readonly labels: Labels; value: number }>();

  /** Adds to the series of these labels; `by: 0` creates the series, so that it is shown before the first event. */
  add(labels: Labels = {}, by = 1): void {
    const key = JSON.stringify(labels);
    const series = this.#series.get(key);
    if (series) series.value += by;
    else this.#series.set(key, { labels, value: by });
  }

  samples(): Iterable<Sample> {
    return this.#series.values();
  }
}

/** Counts observed values by upper bound. */
export class Histogram {
  readonly #bounds: readonly number[];
  readonly #counts: number[];
  #count = 0;
  #sum = 0;

  /** @param bounds Upper bounds in ascending order, without infinity */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = bounds.map(() => 0);
  }

  /** Number of observed values. */
  get count(): number {
    return this.#count;
  }

  observe(value: number): void {
    this.#count++;
    this.#sum += value;
    // Most values are small, so a search from below ends early.
    for (let index = 0; index < this.#bounds.length; index++) {
      if (value > (this.#bounds[index] ?? 0)) continue;
      this.#counts[index] = (this.#counts[index] ?? 0) + 1;
      return;
    }
  }

  /** Yields the cumulative buckets, the sum and the count. */
  *samples(labels: Labels = {}): Iterable<Sample> {
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

/** One histogram per combination of labels. */
export class LabelledHistogram {
  readonly #bounds: readonly number[];
  readonly #series = new Map<string, { readonly labels: Labels; readonly histogram: Histogram }>();

  /** @param bounds Upper bounds in ascending order, without infinity */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
  }

  observe(labels: Labels, value: number): void {
    const key = JSON.stringify(labels);
    const series = this.#series.get(key) ?? { labels, histogram: new Histogram(this.#bounds) };
    this.#series.set(key, series);
    series.histogram.observe(value);
  }

  *samples(): Iterable<Sample> {
    for (const { labels, histogram } of this.#series.values()) yield* histogram.samples(labels);
  }
}
