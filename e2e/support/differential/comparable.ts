/** What a server answered to a step. */
export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly warnings: readonly string[];
  readonly text: string;
}

const uid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const now = /20[2-9]\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;

/**
 * Replaces what differs between two servers by placeholders: uids and resource versions by their order of
 * appearance in the scenario, times, and the names that a server draws.
 */
export class Comparable {
  readonly #seen = new Map<string, string>();

  of(answer: Answer): unknown {
    const { status, contentType, warnings } = answer;
    const body = inOneOrder(this.#body(answer.text));
    return { status, contentType, warnings: warnings.map((text) => this.#text(text)), body };
  }

  /**
   * The events of a watch, one a line, or what it was refused with. Bookmarks without annotations come when time has
   * passed, so they are left out.
   */
  ofStream(answer: Answer): unknown {
    const lines = answer.text.split('\n').filter((line) => line !== '');
    const events = lines.map(parsed);
    if (!events.every(isEvent)) return this.of(answer);
    const { status, contentType, warnings } = answer;
    const shown = events
      .filter(({ type, object }) => type !== 'BOOKMARK' || Object(object.metadata).annotations !== undefined)
      .map((event) => {
        const value = event.type === 'BOOKMARK' ? withVersion(event) : event;
        return this.#value(value, '');
      });
    return { status, contentType, warnings: warnings.map((text) => this.#text(text)), events: shown };
  }

  #body(text: string): unknown {
    try {
      return this.#value(JSON.parse(text), '');
    } catch {
      return this.#text(text);
    }
  }

  #value(value: unknown, key: string): unknown {
    if (typeof value === 'string')
      return key === 'resourceVersion' ? this.#placeholder('rv', value) : this.#text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((item) => this.#value(item, ''));
    if (typeof (value as Record<string, unknown>).openapi === 'string') return schemasOf(value);
    const object = withoutRules(withoutGroups(value as Record<string, unknown>));
    // How far a list is depends on what others wrote.
    const isList = 'items' in object || 'rows' in object;
    // Versions are counted in one order on both sides: that of the object itself first.
    const metadataFirst = Object.keys(object).sort((a, b) => Number(b === 'metadata') - Number(a === 'metadata'));
    const entries = metadataFirst
      .map((name) => [name, object[name]] as const)
      .map(([name, item]) =>
        isList && name === 'metadata'
          ? [
              name,
              { ...(item as object), resourceVersion: '<list rv>', ...(hasToken(item) && { continue: '<token>' }) },
            ]
          : [name, this.#value(item, name)],
      );
    return Object.fromEntries(entries);
  }

  #text(text: string): string {
    return text
      .replaceAll(uid, (found) => this.#placeholder('uid', found))
      .replaceAll(now, '<time>')
      .replaceAll(/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, '<signed token>')
      .replaceAll(/\bkube-api-access-[a-z0-9]{5}\b/g, 'kube-api-access-<drawn>')
      .replaceAll(/\bhash=[0-9A-F]{128}\b/g, 'hash=<hash>')
      .replaceAll(/127\.0\.0\.1:\d+/g, '')
      .replaceAll(/serverAddress: ?(""|)\n/g, 'serverAddress\n')
      .replaceAll(/\bselfType\d+/g, 'object')
      .replaceAll(/resourceVersion: "\d+"/g, 'resourceVersion: "<rv>"')
      .replaceAll(
        /does not match the ResourceVersion in record \(\d+\)/g,
        'does not match the ResourceVersion in record (<rv>)',
      )
      .replaceAll(/ResourceVersion in (precondition|object meta): \d+/g, 'ResourceVersion in $1: <rv>')
      .replaceAll(/\b(a-|A|a|5Ei)[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, '$1<drawn>')
      .replaceAll(/(resourceVersion\\*":\\*"|Too large resource version: \d+, current: )\d+/g, '$1<rv>');
  }

  #placeholder(kind: string, value: string): string {
    if (value === '' || value === '0') return value;
    const known = this.#seen.get(`${kind} ${value}`);
    if (known !== undefined) return known;
    const next = `<${kind} ${[...this.#seen.keys()].filter((each) => each.startsWith(`${kind} `)).length + 1}>`;
    this.#seen.set(`${kind} ${value}`, next);
    return next;
  }
}

/** The schemas of an OpenAPI document, without what is text for people: parity.md says what else it leaves out. */
function schemasOf(document: unknown): unknown {
  const { components } = document as { components?: { schemas?: unknown } };
  const schemas = Object.entries(Object(components?.schemas)).filter(([name]) => !discovered.test(name));
  return { schemas: withoutTexts(Object.fromEntries(schemas)) };
}

/** Types of discovery and of watches, which operations of Kubernetes' documents refer to. */
const discovered = /\.meta\.v1\.(APIGroup|APIResource|APIVersions|GroupVersionForDiscovery|ServerAddress|WatchEvent)/;

function withoutTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTexts);
  if (!isObject(value)) return value;
  const fields = Object.entries(value).filter(
    ([name, text]) => name !== 'x-kubernetes-unions' && (name !== 'description' || typeof text !== 'string'),
  );
  // A reference with something beside it is wrapped, be it a text.
  const [[only, refs] = []] = fields;
  if (fields.length === 1 && only === 'allOf' && Array.isArray(refs) && refs.length === 1) return withoutTexts(refs[0]);
  return Object.fromEntries(fields.map(([name, inner]) => [name, withoutTexts(inner)]));
}

/** Groups that scenarios define come into the indexes of a server, and go, when it gets to it. */
const drawnGroup = /(^|\/)[a-z]\d+\.dev(\/|$)/;

/** Documents of roots and groups describe discovery. */
const undescribed = /^(apis?|version|logs|\.well-known\/.*|apis\/[^/]+|openid\/.*)$/;

function withoutGroups(object: Record<string, unknown>): Record<string, unknown> {
  const isKept = (item: unknown) => {
    const { name, metadata, resource } = Object(item) as Record<string, unknown> & { metadata?: { name?: unknown } };
    const isNamed = String(resource ?? name ?? metadata?.name ?? '');
    return !drawnGroup.test(isNamed);
  };
  const { groups, items, paths, resources } = object;
  return {
    ...object,
    ...(Array.isArray(groups) && { groups: groups.filter(isKept) }),
    ...(Array.isArray(resources) && { resources: resources.filter(isKept) }),
    ...(object.kind === 'APIGroupDiscoveryList' && Array.isArray(items) && { items: items.filter(isKept) }),
    ...(isObject(paths) && {
      paths: Object.fromEntries(
        Object.entries(paths).filter(([path]) => ![drawnGroup, undescribed].some((each) => each.test(path))),
      ),
    }),
  };
}

/** What one may do depends on the roles that a server comes with, which are compared elsewhere. */
function withoutRules(object: Record<string, unknown>): Record<string, unknown> {
  const { resourceRules, nonResourceRules, ...rest } = object;
  return Array.isArray(nonResourceRules) ? rest : object;
}

interface WatchEvent {
  readonly type: string;
  readonly object: Readonly<Record<string, unknown>>;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}

function isEvent(value: unknown): value is WatchEvent {
  return isObject(value) && typeof value.type === 'string' && isObject(value.object);
}

/** A bookmark says how far the server is, which depends on what others wrote. */
function withVersion({ type, object }: WatchEvent): WatchEvent {
  return { type, object: { ...object, metadata: { ...Object(object.metadata), resourceVersion: '' } } };
}

interface Refusal {
  readonly message?: string;
  readonly details?: { readonly group?: string; readonly causes?: readonly object[] };
}

/** Kubernetes looks at the fields of a schema, and of a custom object, in no order; of others, at the keys of maps. */
function inOneOrder(body: unknown): unknown {
  const { message = '', details } = Object(body) as Refusal;
  if (!details?.causes) return body;
  const isOrdered = !(details.group ?? '').endsWith('.dev') && details.group !== 'apiextensions.k8s.io';
  const texts = details.causes.map((cause) => withoutSchemas(JSON.stringify(cause)));
  const isKeyed = (text: string) => /"field":"[^"]*\[[^\]"]*[^\]"\d][^\]"]*\]/.test(text);
  if (isOrdered && !texts.some(isKeyed)) return body;
  const sorted = texts.filter((text) => !isOrdered || isKeyed(text)).sort();
  const causes = texts.map((text) => (!isOrdered || isKeyed(text) ? sorted.shift() : text));
  const start = message.slice(0, message.indexOf(' is invalid: ') + 1);
  return { ...(body as object), message: `${start}is invalid: ...`, details: { ...details, causes } };
}

/** Kubernetes prints a schema as its Go struct: known-differences.ts says why ours differs. */
function withoutSchemas(text: string): string {
  return text.replace(/Invalid value: \{\\"(?!Rule).*?\}: only \[/, 'Invalid value: <schema>: only [');
}

function hasToken(metadata: unknown): boolean {
  return typeof (metadata as { continue?: unknown } | null)?.continue === 'string';
}

/** The differences of two comparable answers, one line each: path, what Kubernetes says, what devcluster says. */
export function differences(real: unknown, ours: unknown, path = ''): string[] {
  if (Object.is(real, ours)) return [];
  if (Array.isArray(real) && Array.isArray(ours)) {
    // Ages in tables depend on when one looks.
    if (path.endsWith('.cells')) return differences(real.map(withoutAge), ours.map(withoutAge), `${path}*`);
    if (path.endsWith('.managedFields')) return differences(byWriter(real), byWriter(ours), `${path}[]`);
    if (real.length === ours.length)
      return real.flatMap((item, index) => differences(item, ours[index], `${path}[${index}]`));
  } else if (isObject(real) && isObject(ours)) {
    return [...new Set([...Object.keys(real), ...Object.keys(ours)])].flatMap((key) =>
      differences(real[key], ours[key], `${path}.${key}`),
    );
  }
  return [`${path}: Kubernetes ${show(real)}, devcluster ${show(ours)}`];
}

function withoutAge(cell: unknown): unknown {
  return typeof cell === 'string' && /^\d+s$/.test(cell) ? '<age>' : cell;
}

/** Entries are in the order of their times, which are in seconds. */
function byWriter(entries: readonly unknown[]): Record<string, unknown> {
  return Object.fromEntries(
    entries.map((entry) => {
      const { manager, operation, apiVersion, subresource } = entry as Record<string, unknown>;
      return [[operation, manager, apiVersion, subresource].join(' '), entry];
    }),
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 1_500 ? `${text.slice(0, 1_500)}...` : text;
}
