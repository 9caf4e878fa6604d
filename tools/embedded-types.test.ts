import { type Cluster, startCluster } from '@slipway/devcluster';
import { builtInDefinitions, parseFieldPath } from '@slipway/features';
import { silentLog } from '@slipway/kube';
import { afterAll, beforeAll, expect, test } from 'vitest';

// Read from what an API server publishes, and not from the facts that the catalogue is made of.

interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly 'x-kubernetes-group-version-kind'?: readonly { readonly group: string; readonly kind: string }[];
}
interface Kind {
  readonly group: string;
  readonly resource: string;
  readonly type: string;
}

let cluster: Cluster;
const schemas: Record<string, Schema> = {};
const kinds: Kind[] = [];
beforeAll(async () => {
  cluster = await startCluster({
    nodes: 0,
    log: silentLog,
    componentGates: { 'kube-apiserver': { AllAlpha: true, AllBeta: true } },
  });
  const kube = cluster.kube();
  const get = async (path: string) => (await kube.transport.request({ method: 'GET', path })).body;
  const { paths } = (await get('/openapi/v3')) as { paths: Record<string, { serverRelativeURL: string }> };
  for (const { serverRelativeURL } of Object.values(paths)) {
    const document = (await get(serverRelativeURL)) as { components?: { schemas?: Record<string, Schema> } };
    Object.assign(schemas, document.components?.schemas);
  }
  const discovery = await kube.discover();
  for (const [type, schema] of Object.entries(schemas)) {
    for (const { group, kind } of schema['x-kubernetes-group-version-kind'] ?? []) {
      const known = discovery.resources.find((one) => one.group === group && one.kind === kind);
      if (known?.verbs.includes('list')) kinds.push({ group, resource: known.plural, type });
    }
  }
});
afterAll(() => cluster.stop());

/** The named type of a schema or of the items of a list. */
function typeOf({ $ref, allOf = [], items }: Schema): string | undefined {
  const named = $ref ?? allOf[0]?.$ref;
  return named?.split('/').at(-1) ?? (items && typeOf(items));
}

/** Every way from a type to another, as `a.b[*]`. */
function waysTo(wanted: string, type: string, through: readonly string[] = []): string[] {
  if (type === wanted) return [''];
  if (through.includes(type)) return [];
  return Object.entries(schemas[type]?.properties ?? {}).flatMap(([field, schema]) => {
    const below = typeOf(schema);
    if (below === undefined || field === 'status') return [];
    const step = schema.items ? `${field}[*]` : field;
    return waysTo(wanted, below, [...through, type]).map((rest) => (rest === '' ? step : `${step}.${rest}`));
  });
}

const references = builtInDefinitions().flatMap(({ object: { spec } }) =>
  (spec.references ?? []).flatMap(({ path, group, resource }) =>
    path === undefined ? [] : [{ gate: spec.gate, path, group, resource, all: spec.references ?? [] }],
  ),
);

test.each(references)('$gate covers every kind whose schema embeds $path of $resource', (reference) => {
  const { group, resource, path, all } = reference;
  const names = parseFieldPath(path).flatMap((step) => (step.kind === 'field' ? [step.name] : []));
  const field = names.pop() ?? '';
  const own = kinds.find((kind) => kind.group === group && kind.resource === resource);
  const owner = names.reduce<string | undefined>((type, name) => {
    const schema = type === undefined ? undefined : schemas[type]?.properties?.[name];
    return schema && typeOf(schema);
  }, own?.type);
  expect(Object.keys(schemas[owner ?? '']?.properties ?? {})).toContain(field);
  const embedding = kinds.flatMap((kind) =>
    waysTo(owner ?? '', kind.type).map((way) => `${kind.resource}.${kind.group} ${way}.${field}`),
  );
  const covered = all.map((one) => `${one.resource}.${one.group} ${one.path}`);
  expect(embedding).toContain(`${resource}.${group} ${path}`);
  expect(embedding.filter((one) => !covered.includes(one))).toEqual([]);
});
