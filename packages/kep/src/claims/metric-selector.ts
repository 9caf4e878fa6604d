/** A metric as proposals name it: a family, and labels that its series have. */
export interface MetricSelector {
  /** As it is scraped, without `_bucket`, `_sum` or `_count`. */
  readonly family: string;
  readonly labels: readonly MetricLabel[];
}

export interface MetricLabel {
  readonly name: string;
  /** Undefined when only its presence is asked for. */
  readonly value: string | undefined;
  /** The value is a regular expression. */
  readonly isPattern: boolean;
}

const form =
  /^\s*"?(?:([a-z][a-z0-9-]*)\/)?([a-zA-Z_:][a-zA-Z0-9_:]*)\s*(?:[{[]([^{}[\]]*)[}\]])?\s*(?:(?:-\s|[(#]).*)?"?\s*$/;
const labelForm = /^\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*(?:(=~|=)\s*["']?([^"']*?)["']?)?\s*$/;

/**
 * Reads `name{label="value",other=~"a|b"} - note`. Brackets may be square, quotes may be left out, and
 * `component/name` of old proposals means `component_name`. Undefined for what names no metric.
 */
export function parseMetricSelector(text: string): MetricSelector | undefined {
  const match = form.exec(text.slice(0, 1_000));
  const name = match?.[2];
  if (!match || name === undefined) return undefined;
  const labels: MetricLabel[] = [];
  for (const part of (match[3] ?? '').split(',')) {
    if (part.trim() === '') continue;
    const label = labelForm.exec(part);
    if (!label?.[1]) return undefined;
    labels.push({ name: label[1], value: label[3], isPattern: label[2] === '=~' });
  }
  const component = match[1] === undefined ? '' : `${match[1].replaceAll('-', '_')}_`;
  return { family: component + name.replace(/_(?:bucket|sum|count)$/, ''), labels };
}
