export type Labels = Readonly<Record<string, string>>;

/** One number of a page. `suffix` follows the name of its metric: `_bucket`, `_sum`, `_count`. */
export interface Sample {
  readonly labels: Labels;
  readonly value: number;
  readonly suffix?: string;
}

/** One metric with all its samples, in the Prometheus text format; '' where there are none. */
export function metricText(
  name: string,
  type: 'gauge' | 'counter' | 'histogram',
  help: string,
  samples: Iterable<Sample>,
): string {
  const lines = [...samples].map(
    ({ labels, value, suffix = '' }) => `${name}${suffix}${labelText(labels)} ${String(value)}\n`,
  );
  return lines.length === 0 ? '' : `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(value: string): string {
  return value.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n');
}

/** A number that only grows, per combination of labels. */
export class Counter {
  readonly #values = new Map<string, { readonly labels: Labels; value: number }>();

  add(labels: Labels, by = 1): void {
    const key = JSON.stringify(labels);
    const known = this.#values.get(key);
    if (known) known.value += by;
    else this.#values.set(key, { labels, value: by });
  }

  samples(): Iterable<Sample> {
    return this.#values.values();
  }
}

/** How long things took, per combination of labels. */
export class DurationHistogram {
  readonly #bounds: readonly number[];
  readonly #counts = new Counter();
  readonly #sums = new Counter();
  readonly #buckets = new Counter();

  /** Upper bounds in seconds. */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
  }

  add(labels: Labels, seconds: number): void {
    this.#counts.add(labels);
    this.#sums.add(labels, seconds);
    for (const bound of [...this.#bounds, Number.POSITIVE_INFINITY]) {
      const le = bound === Number.POSITIVE_INFINITY ? '+Inf' : String(bound);
      this.#buckets.add({ ...labels, le }, seconds <= bound ? 1 : 0);
    }
  }

  *samples(): Iterable<Sample> {
    for (const sample of this.#buckets.samples()) yield { ...sample, suffix: '_bucket' };
    for (const sample of this.#sums.samples()) yield { ...sample, suffix: '_sum' };
    for (const sample of this.#counts.samples()) yield { ...sample, suffix: '_count' };
  }
}
