import type { KepDocument } from '../document/document.js';
import type { Span } from '../document/lines.js';
import { componentNames, gateNames, isGateName, metricNames, saysNothing } from '../facts/identifiers.js';
import { type FieldLabel, labelledFields } from '../facts/labelled-fields.js';
import type { KepFacts } from '../facts/rule.js';
import { textOfSection } from '../facts/visible-text.js';
import type { KepYaml } from '../metadata/kep-yaml.js';
import { yamlValue } from '../metadata/yaml-value.js';
import { type Claim, type ClaimKind, type ClaimSource, type Claims, claimKinds, type UnreadClaim } from './claim.js';
import { parseMetricSelector } from './metric-selector.js';

/**
 * Reads what a proposal claims about a cluster: from `kep.yaml`, from the ticked fields of the questionnaire,
 * from the answer about new API types, and from code blocks marked `slipway-check`. A claim made in several
 * places is one claim with several sources.
 */
export function extractClaims({ document, yaml, assessed, repository }: KepFacts): Claims {
  const found = new Collector();
  if (yaml) fromMetadata(yaml, found);
  if (document) {
    fromFields(document, repository.components, found);
    const types = assessed.find(({ wanted }) => wanted.norm.includes('introducing new api types'))?.match?.section;
    if (types) fromApiAnswer(document, types, found);
    fromCheckBlocks(document, found);
  }
  return { claims: found.claims(), unread: found.unread };
}

class Collector {
  readonly unread: UnreadClaim[] = [];
  readonly #claims = new Map<string, Claim>();

  add(kind: ClaimKind, subject: string, object: string | undefined, source: ClaimSource): void {
    const id = idOf(kind, subject, object);
    const known = this.#claims.get(id);
    this.#claims.set(id, { id, kind, subject, object, sources: [...(known?.sources ?? []), source] });
  }

  claims(): readonly Claim[] {
    return [...this.#claims.values()];
  }
}

function idOf(kind: ClaimKind, subject: string, object: string | undefined): string {
  const name = { 'gate-exists': 'gate', 'gate-reported': 'gate', 'gate-stage': 'gate-stage' }[kind as string] ?? kind;
  if (kind === 'disable-supported') return kind;
  return [name, subject, ...(kind === 'gate-reported' && object !== undefined ? [object] : [])].join('/');
}

function fromMetadata(yaml: KepYaml, found: Collector): void {
  const at = (span: Span): ClaimSource => ({
    file: 'yaml',
    line: yaml.lines.place(span.start).line,
    text: yaml.text.slice(span.start, span.end),
  });
  const stage = yaml.one('stage');
  for (const { name, components } of yaml.gates) {
    if (!name || !isGateName(name.value)) continue;
    found.add('gate-exists', name.value, undefined, at(name));
    for (const component of components) found.add('gate-reported', name.value, component.value, at(component));
    if (stage) found.add('gate-stage', name.value, stage.value, at(stage));
  }
  for (const metric of yaml.many('metrics')) {
    if (saysNothing(metric.value)) continue;
    const selector = parseMetricSelector(metric.value);
    if (selector) found.add('metric', selector.family, metric.value, at(metric));
    else found.unread.push({ kind: 'metric', ...at(metric) });
  }
  const supported = yaml.disableSupported;
  if (supported) found.add('disable-supported', 'disable-supported', String(supported.value), at(supported));
}

/** Which kind of claim a field of the questionnaire makes, and the names in its value. */
const fields: Readonly<
  Partial<Record<FieldLabel, { readonly kind: ClaimKind; names(value: string): readonly string[] }>>
> = {
  'feature gate name': { kind: 'gate-exists', names: gateNames },
  'metric name': { kind: 'metric', names: metricNames },
  'event reason': { kind: 'event', names: camelNames },
  'condition name': { kind: 'condition', names: camelNames },
  'other field': { kind: 'field', names: paths },
};

function fromFields(document: KepDocument, components: ReadonlySet<string>, found: Collector): void {
  const labels = [...(Object.keys(fields) as FieldLabel[]), 'components depending on the feature gate' as const];
  let gates: readonly string[] = [];
  for (const { label, value, checked, start } of labelledFields(document, labels)) {
    if (!checked || saysNothing(value)) continue;
    const source: ClaimSource = { file: 'readme', line: document.lines.place(start).line, text: value };
    const field = fields[label];
    if (!field) {
      for (const gate of gates)
        for (const component of componentNames(value, components)) found.add('gate-reported', gate, component, source);
      continue;
    }
    const names = field.names(value);
    if (field.kind === 'gate-exists') gates = names;
    for (const name of names) found.add(field.kind, name, field.kind === 'metric' ? name : undefined, source);
    if (names.length === 0) found.unread.push({ kind: field.kind, ...source });
  }
}

/** Names in code, or else words like `FailedMount`, the first of each line. */
function camelNames(value: string): readonly string[] {
  return value.split('\n').flatMap((line) => {
    const name = /`([A-Z][A-Za-z0-9]+)`/.exec(line)?.[1] ?? /\b[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+\b/.exec(line)?.[0];
    return name ?? [];
  });
}

/** Paths in code that begin with `.status` or `.spec`, also behind the name of a kind. */
function paths(value: string): readonly string[] {
  return [...value.matchAll(/`[a-z]*(\.?(?:status|spec)\.[A-Za-z0-9_.[\]]+)`/gi)].map(([, path = '']) =>
    path.startsWith('.') ? path : `.${path}`,
  );
}

function fromApiAnswer(document: KepDocument, section: Parameters<typeof textOfSection>[1], found: Collector): void {
  const answer = textOfSection(document, section);
  if (/^\W*(?:no|none|n\/a)\b/i.test(answer)) return;
  const source: ClaimSource = { file: 'readme', line: section.line + 1, text: section.title };
  const names = [...answer.matchAll(/`([a-z0-9.-]+\/v\d+(?:(?:alpha|beta)\d+)?|[A-Z][a-z]+[A-Za-z0-9]*)`/g)];
  for (const [, name = ''] of names) if (name !== '') found.add('api', name, undefined, source);
}

/** `slipway-check` blocks: a list of `kind`, `subject` and, where the kind has one, `object`. */
function fromCheckBlocks(document: KepDocument, found: Collector): void {
  for (const fence of document.fences) {
    if (!/^slipway-check\b/.test(fence.info)) continue;
    const source = { file: 'readme' as const, line: fence.line + 1, text: fence.info };
    const first = document.lines.start(fence.line + 1);
    const items = listOf(document.text.slice(first, document.lines.start(fence.lastLine)));
    for (const { kind, subject, object } of items ?? []) {
      if ((claimKinds as readonly string[]).includes(kind) && subject !== '')
        found.add(kind as ClaimKind, subject, object, source);
      else found.unread.push({ kind: undefined, ...source, text: `${kind} ${subject}`.trim() });
    }
    if (!items) found.unread.push({ kind: undefined, ...source });
  }
}

function listOf(text: string): { kind: string; subject: string; object: string | undefined }[] | undefined {
  const value = yamlValue(text);
  if (!Array.isArray(value)) return undefined;
  return value.map((item: unknown) => {
    const entry = typeof item === 'object' && item !== null ? (item as Record<string, unknown>) : {};
    const { kind, subject, object } = entry;
    return {
      kind: String(kind ?? ''),
      subject: String(subject ?? ''),
      object: object === undefined ? undefined : String(object),
    };
  });
}

/** Claims as a `slipway-check` block, for authors who want to write them out. */
export function claimsBlock({ claims }: Claims): string {
  const lines = claims.map(({ kind, subject, object }) => {
    const rest = object === undefined ? '' : `, object: ${JSON.stringify(object)}`;
    return `- { kind: ${kind}, subject: ${JSON.stringify(subject)}${rest} }`;
  });
  return ['```slipway-check', ...lines, '```', ''].join('\n');
}
