/** One family of a metrics page. */
export interface MetricFamily {
  readonly hasSamples: boolean;
  /** `name="value"` of all its series. */
  readonly labels: ReadonlySet<string>;
}

/** A series of `kubernetes_feature_enabled`, which Kubernetes components have for each gate. */
export interface GateSeries {
  readonly gate: string;
  /** ALPHA, BETA, DEPRECATED; empty for stable. */
  readonly stage: string;
}

const declaration = /^# TYPE ([a-zA-Z_:][\w:]*) /;
const sample = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? /;
const label = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;

/** Reads a page in the text format of Prometheus: families by name, without `_bucket`, `_sum` and `_count`. */
export function readExposition(page: string): ReadonlyMap<string, MetricFamily> {
  const found = new Map<string, { hasSamples: boolean; labels: Set<string> }>();
  const familyOf = (name: string) => {
    const known = found.get(name) ?? { hasSamples: false, labels: new Set<string>() };
    found.set(name, known);
    return known;
  };
  for (const line of page.split('\n')) {
    const declared = declaration.exec(line)?.[1];
    if (declared !== undefined) familyOf(declared.replace(/_(?:bucket|sum|count)$/, ''));
    const series = line.startsWith('#') ? null : sample.exec(line);
    if (!series?.[1]) continue;
    const family = familyOf(series[1].replace(/_(?:bucket|sum|count)$/, ''));
    family.hasSamples = true;
    for (const [, name, value] of (series[2] ?? '').matchAll(label)) family.labels.add(`${name}="${value}"`);
  }
  return found;
}

/** The gates that a page tells of. */
export function gatesOnPage(page: string): readonly GateSeries[] {
  return [...page.matchAll(/^kubernetes_feature_enabled\{(.*)\} /gm)].flatMap(([, labels = '']) => {
    const values = new Map([...labels.matchAll(label)].map(([, name, value]) => [name, value]));
    const gate = values.get('name');
    return gate === undefined ? [] : [{ gate, stage: values.get('stage') ?? '' }];
  });
}
