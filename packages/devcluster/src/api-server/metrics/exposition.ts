/** Labels of one sample, in the order in which they are written. */
export type Labels = Readonly<Record<string, string>>;

/** One number of a metric. */
export interface Sample {
  readonly labels?: Labels;
  readonly value: number;
  /** What follows the name: `_bucket`, `_sum` and `_count` of a histogram. */
  readonly suffix?: string;
}

/** A metric in the Prometheus text format, version 0.0.4; nothing when there are no samples. */
export function metricText(
  name: string,
  type: 'counter' | 'gauge' | 'histogram',
  help: string,
  samples: Iterable<Sample>,
): string {
  const lines: string[] = [];
  for (const { labels, value, suffix = '' } of samples) lines.push(`${name}${suffix}${labelText(labels)} ${value}\n`);
  return lines.length === 0 ? '' : `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

function labelText(labels: Labels = {}): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(value: string): string {
  return value.replace(/[\\"\n]/g, (sign) => (sign === '\n' ? '\\n' : `\\${sign}`));
}
