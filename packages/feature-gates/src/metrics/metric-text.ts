/** Labels of one sample, in the order in which they are written. Values may hold any text. */
export type Labels = Readonly<Record<string, string>>;

/** One number of a metric. `suffix` follows the metric's name: `_bucket`, `_sum` and `_count` of a histogram. */
export interface Sample {
  readonly labels?: Labels;
  readonly value: number;
  readonly suffix?: string;
}

export type MetricType = 'counter' | 'gauge' | 'histogram';

/** Content type of the Prometheus text format, version 0.0.4. */
export const metricContentType = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * Formats one metric in the Prometheus text format, version 0.0.4; '' if there are no samples.
 *
 * Names follow OpenMetrics, so that a scraper may translate the page: a counter ends in `_total` and nothing else does.
 * @param help One sentence for people; escaped here.
 * @throws RangeError for a metric or label name that scrapers reject
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/
 */
export function metricText(name: string, type: MetricType, help: string, samples: Iterable<Sample>): string {
  const head = metricHead(name, type, help);
  const lines = sampleLines(name, samples);
  return lines === '' ? '' : head + lines;
}

/** Formats a metric as `metricText` does, but declares it even if it has no samples yet. */
export function declaredMetricText(name: string, type: MetricType, help: string, samples: Iterable<Sample>): string {
  return metricHead(name, type, help) + sampleLines(name, samples);
}

function metricHead(name: string, type: MetricType, help: string): string {
  if (!/^[a-zA-Z_:][\w:]*$/.test(name)) throw new RangeError(`invalid metric name ${JSON.stringify(name)}`);
  if ((type === 'counter') !== name.endsWith('_total'))
    throw new RangeError(`invalid metric name ${name} of a ${type}: counters end in _total, and only counters do`);
  return `# HELP ${name} ${help.replace(/[\\\n]/g, escapeSign)}\n# TYPE ${name} ${type}\n`;
}

function sampleLines(name: string, samples: Iterable<Sample>): string {
  const lines: string[] = [];
  for (const { labels, value, suffix = '' } of samples)
    lines.push(`${name}${suffix}${labelText(labels)} ${valueText(value)}\n`);
  return lines.join('');
}

function labelText(labels: Labels = {}): string {
  const pairs = Object.entries(labels).map(([name, value]) => {
    if (!/^(?!__)[a-zA-Z_]\w*$/.test(name)) throw new RangeError(`invalid label name ${JSON.stringify(name)}`);
    return `${name}="${value.replace(/[\\"\n]/g, escapeSign)}"`;
  });
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escapeSign(sign: string): string {
  return sign === '\n' ? '\\n' : `\\${sign}`;
}

function valueText(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
}
