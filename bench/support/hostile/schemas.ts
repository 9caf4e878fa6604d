import { body, type HostileInput, many } from './input.js';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const group = 'amplified.bench.dev';
let made = 0;

/** A schema of an object, in JSON. */
const object = (properties: string, more = '') => `{"type":"object","properties":{${properties}}${more}}`;
const list = (items: string, more = '') => `{"type":"array","items":${items}${more}}`;
const text = '{"type":"string"}';
const defaulted = (index: number) => `"f${index}":{"type":"string","default":"a default of field ${index}"}`;

interface Version {
  readonly name: string;
  readonly schema: string;
  readonly more?: string;
}

/** A request that makes a definition of these versions, of which the last one is stored. */
function definition(plural: string, versions: readonly Version[], more = ''): HostileInput {
  const written = versions.map(
    ({ name, schema, more: also = '' }, index) =>
      `{"name":"${name}","served":true,"storage":${index === versions.length - 1},"schema":{"openAPIV3Schema":${schema}}${also}}`,
  );
  const names = `"names":{"plural":"${plural}","kind":"${plural[0]?.toUpperCase()}${plural.slice(1)}"${more}}`;
  return {
    what: 'definition',
    path: definitions,
    body:
      `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"${plural}.${group}"},` +
      `"spec":{"group":"${group}","scope":"Namespaced",${names},"versions":[${written.join()}]}}`,
  };
}

/** What is sent to a definition that has this schema for `spec`. */
function kindOf(spec: string, more: Omit<Version, 'name' | 'schema'> = {}) {
  const plural = `amplified${++made}`;
  const path = `/apis/${group}/v1/namespaces/default/${plural}`;
  const kind = `A${plural.slice(1)}`;
  const written = (given: string, name = 'x') =>
    `{"apiVersion":"${group}/v1","kind":"${kind}","metadata":{"name":"${name}"},"spec":${given}}`;
  const first = definition(plural, [{ name: 'v1', schema: object(`"spec":${spec}`), ...more }]);
  const gone: HostileInput = { what: 'gone', method: 'DELETE', path: `${definitions}/${plural}.${group}` };
  return { plural, path, written, first, gone };
}

/** A create of an object whose `spec` is this, of a kind whose `spec` has this schema. */
function instance(what: string, schema: string, spec: string): HostileInput {
  const { path, written, first, gone } = kindOf(schema);
  return { what, path, body: written(spec), before: [first], after: [gone] };
}

/** The creation of a definition whose `spec` has this schema. */
function schema(what: string, spec: string, versions = 1): HostileInput {
  const plural = `amplified${++made}`;
  const all = Array.from({ length: versions }, (_, index) => ({
    name: `v${index + 1}`,
    schema: object(`"spec":${spec}`),
  }));
  const gone: HostileInput = { what: 'gone', method: 'DELETE', path: `${definitions}/${plural}.${group}` };
  return { ...definition(plural, all), what, after: [gone] };
}

/** A request about an object that is there already. */
function toStored(
  what: string,
  schemaOfSpec: string,
  spec: string,
  request: (path: string, written: (given: string) => string) => Omit<HostileInput, 'what'>,
): HostileInput {
  const { path, written, first, gone } = kindOf(schemaOfSpec);
  const stored = { what: 'stored', path, body: written(spec) };
  return { what, ...request(path, written), before: [first, stored], after: [gone] };
}

const manyDefaults = list(object(many(300, defaulted)));
const empty = (count: number) => `[${many(count, () => '{}')}]`;
const keyed = list(
  object(`"k":${text},"v":${text}`, ',"required":["k"]'),
  ',"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"]',
);
const keyedItems = (count: number) => `[${many(count, (index) => `{"k":"k${index}","v":"v"}`)}]`;
const junction = (word: string, count: number) =>
  `{"type":"string","${word}":[${many(count, (index) => `{"pattern":"^x${index}$"}`)}]}`;
const nested = (depth: number): string =>
  depth === 0 ? '{"maximum":1}' : `{"anyOf":[${nested(depth - 1)},${nested(depth - 1)}]}`;
const enumOf = (count: number, make = (index: number) => `"value${index}"`) => `"enum":[${many(count, make)}]`;
const mergePatch = body('application/merge-patch+json');
const applyPatch = body('application/apply-patch+yaml');

/** Small requests that a definition makes large: each value of the object meets much of the schema. */
export const hostileSchemas: readonly HostileInput[] = [
  instance('30,000 items of 300 defaults each', object(`"a":${manyDefaults}`), `{"a":${empty(30_000)}}`),
  instance('60,000 items of 300 defaults each', object(`"a":${manyDefaults}`), `{"a":${empty(60_000)}}`),
  instance(
    '60,000 entries of a map with 300 defaults each',
    object(`"a":{"type":"object","additionalProperties":${object(many(300, defaulted))}}`),
    `{"a":{${many(60_000, (index) => `"k${index}":{}`)}}}`,
  ),
  instance(
    '4,000 items whose default is large',
    object(`"a":${list(`{"type":"string","nullable":false,"default":"${'d'.repeat(20_000)}"}`)}`),
    `{"a":[${many(4_000, () => 'null')}]}`,
  ),
  instance(
    'defaults of 12 lists in each other',
    object(
      `"a":${Array.from({ length: 12 }).reduce<string>((inner) => list(object(`"a":${inner}`), `,"default":[${many(10, () => '{}')}]`), text)}`,
    ),
    '{}',
  ),
  toStored('a merge patch of 30,000 items of 300 defaults each', object(`"a":${manyDefaults}`), '{}', (path) => ({
    method: 'PATCH',
    path: `${path}/x`,
    headers: mergePatch,
    body: `{"spec":{"a":${empty(30_000)}}}`,
  })),
  toStored('an apply of 30,000 items of 300 defaults each', object(`"a":${manyDefaults}`), '{}', (path, written) => ({
    method: 'PATCH',
    path: `${path}/x?fieldManager=bench`,
    headers: applyPatch,
    body: written(`{"a":${empty(30_000)}}`),
  })),
  schema('an enum of 50,000', object(`"a":{"type":"string",${enumOf(50_000)}}`)),
  schema('an enum of 20,000 objects', object(`"a":{"type":"object",${enumOf(20_000, (index) => `{"a":${index}}`)}}`)),
  schema('200 enums of 400', object(many(200, (index) => `"f${index}":{"type":"string",${enumOf(400)}}`))),
  instance(
    '50,000 values of an enum of 40,000',
    object(`"a":${list(`{"type":"string",${enumOf(40_000)}}`)}`),
    `{"a":[${many(50_000, () => '"value39999"')}]}`,
  ),
  instance(
    '50,000 values that an enum of 40,000 does not have',
    object(`"a":${list(`{"type":"string",${enumOf(40_000)}}`)}`),
    `{"a":[${many(50_000, () => '"other"')}]}`,
  ),
  instance(
    '5,000 objects that an enum of 10,000 has',
    object(
      `"a":${list(`{"type":"object",${enumOf(10_000, (index) => `{"a":${index},"b":1}`)},"x-kubernetes-preserve-unknown-fields":true}`)}`,
    ),
    `{"a":[${many(5_000, (index) => `{"b":1,"a":${9_999 - (index % 10)}}`)}]}`,
  ),
  ...(['anyOf', 'oneOf', 'allOf'] as const).map((word) =>
    instance(
      `40,000 values that meet 1,000 patterns of ${word}`,
      object(`"a":${list(junction(word, 1_000))}`),
      `{"a":[${many(40_000, () => '"x999"')}]}`,
    ),
  ),
  instance(
    '50,000 values that meet an anyOf 12 deep',
    object(`"a":${list(`{"type":"integer","anyOf":[${nested(12)}]}`)}`),
    `{"a":[${many(50_000, () => '2')}]}`,
  ),
  schema('a definition of 10,000 properties', object(many(10_000, (index) => `"f${index}":${text}`))),
  schema('a definition of 8 versions of 10,000 properties', object(many(3_000, (index) => `"f${index}":${text}`)), 8),
  instance(
    '50,000 items of 10,000 properties',
    object(`"a":${list(object(many(10_000, (index) => `"f${index}":${text}`)))}`),
    `{"a":${empty(50_000)}}`,
  ),
  instance(
    '50,000 items that lack 1,000 fields each',
    object(
      `"a":${list(
        object(
          many(1_000, (index) => `"f${index}":${text}`),
          `,"required":[${many(1_000, (index) => `"f${index}"`)}]`,
        ),
      )}`,
    ),
    `{"a":${empty(50_000)}}`,
  ),
  instance(
    '50,000 items that meet 100 rules each',
    object(
      `"a":${list(`{"type":"string","maxLength":1,"x-kubernetes-validations":[${many(100, (index) => `{"rule":"self != 'x${index}'"}`)}]}`, ',"maxItems":50')}`,
    ),
    `{"a":[${many(50_000, () => '"y"')}]}`,
  ),
  instance('45,000 items of a map with keys', object(`"a":${keyed}`), `{"a":${keyedItems(30_000)}}`),
  toStored(
    'a merge patch of 30,000 items of a map with keys',
    object(`"a":${keyed}`),
    `{"a":${keyedItems(30_000)}}`,
    (path) => ({
      method: 'PATCH',
      path: `${path}/x`,
      headers: mergePatch,
      body: `{"spec":{"a":${keyedItems(30_000).replaceAll('"v"}', '"w"}')}}}`,
    }),
  ),
  toStored(
    'an apply of 30,000 items of a map with keys',
    object(`"a":${keyed}`),
    `{"a":${keyedItems(20_000)}}`,
    (path, written) => ({
      method: 'PATCH',
      path: `${path}/x?fieldManager=bench&force=true`,
      headers: applyPatch,
      body: written(`{"a":${keyedItems(20_000).replaceAll('"v"}', '"w"}')}}`),
    }),
  ),
  instance(
    '90 embedded resources of 1,000 labels',
    object(
      `"a":${list('{"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true}')}`,
    ),
    `{"a":[${many(90, () => `{"apiVersion":"v1","kind":"A","metadata":{"labels":{${many(1_000, (index) => `"k ${index}":"v"`)}}}}`)}]}`,
  ),
  instance(
    'a text of 1.4 MB for 200 patterns',
    object(`"a":{"type":"string","allOf":[${many(200, (index) => `{"pattern":"^(a|b|c${index})+$"}`)}]}`),
    `{"a":"${'a'.repeat(1_400_000)}!"}`,
  ),
  instance(
    'texts of 1.4 MB for formats',
    object(
      `"a":{"type":"string","allOf":[${many(200, () => '{"format":"hostname"},{"format":"uri"},{"format":"email"},{"format":"date-time"},{"format":"duration"},{"format":"uuid"},{"format":"ipv4"},{"format":"cidr"},{"format":"isbn"},{"format":"creditcard"}')}]}`,
    ),
    `{"a":"${'1.'.repeat(700_000)}"}`,
  ),
  ...longKeys(),
  hostileConversion('a list of 40 objects of 20,000 items in another version', 'v1'),
  hostileConversion('a list of 40 objects of 20,000 items as stored', 'v2'),
  hostileConversion('a table of 40 objects of 20,000 items in another version', 'v1', {
    accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  }),
  {
    ...hostileConversion('the same in YAML', 'v1', { accept: 'application/yaml' }),
  },
  tableOfColumns(),
  ...['/openapi/v2', `/openapi/v3/apis/${group}/v1`].map((path): HostileInput => {
    const { first, gone } = kindOf(object(many(25_000, (index) => `"f${index}":${text}`)));
    return {
      what: `${path} beside a definition of 25,000 properties`,
      method: 'GET',
      path,
      before: [first],
      after: [gone],
    };
  }),
];

/** Findings are described by where they are: below a key of a megabyte, each of them is described by a megabyte. */
function longKeys(): HostileInput[] {
  const key = 'k'.repeat(1_000_000);
  const ofLists = object(`"a":{"type":"object","additionalProperties":${list('{"type":"string"}')}}`);
  const wrong = (value: string) => `{"a":{"${key}":[${many(50_000, () => value)}]}}`;
  const strict = kindOf(ofLists);
  return [
    instance('50,000 wrong values below a key of 1 MB', ofLists, wrong('1')),
    {
      what: '300 unknown fields below a key of 1 MB, strictly',
      path: `${strict.path}?fieldValidation=Strict`,
      body: strict.written(`{"b":1,"${key}":{${many(300, (index) => `"f${index}":1`)}}}`),
      before: [strict.first],
      after: [strict.gone],
    },
    toStored('an apply of 50,000 wrong values below a key of 1 MB', ofLists, '{}', (path, written) => ({
      method: 'PATCH',
      path: `${path}/x?fieldManager=bench`,
      headers: applyPatch,
      body: written(wrong('{}')),
    })),
  ];
}

/** 40 objects that are stored in one version and asked for in this one. */
function hostileConversion(what: string, asked: string, headers: HostileInput['headers'] = {}): HostileInput {
  const plural = `amplified${++made}`;
  const spec = object(`"spec":${object(`"a":${list(text)}`)}`);
  const first = definition(plural, [
    { name: 'v1', schema: spec },
    { name: 'v2', schema: spec },
  ]);
  const of = (version: string) => `/apis/${group}/${version}/namespaces/default/${plural}`;
  const stored = Array.from({ length: 40 }, (_, index) => ({
    what: 'stored',
    path: of('v2'),
    body: `{"apiVersion":"${group}/v2","kind":"A${plural.slice(1)}","metadata":{"name":"x${index}"},"spec":{"a":[${many(20_000, () => '"v"')}]}}`,
  }));
  const gone: HostileInput = { what: 'gone', method: 'DELETE', path: `${definitions}/${plural}.${group}` };
  return { what, method: 'GET', path: of(asked), headers: headers ?? {}, before: [first, ...stored], after: [gone] };
}

function tableOfColumns(): HostileInput {
  const columns = many(2_000, (index) => `{"name":"c${index}","type":"string","jsonPath":".spec.a[*]"}`);
  const { path, written, first, gone } = kindOf(object(`"a":${list(text)}`), {
    more: `,"additionalPrinterColumns":[${columns}]`,
  });
  const stored = Array.from({ length: 20 }, (_, index) => ({
    what: 'stored',
    path,
    body: written(`{"a":[${many(2_000, () => '"v"')}]}`, `x${index}`),
  }));
  return {
    what: 'a table of 20 objects of 2,000 values in 2,000 columns',
    method: 'GET',
    path,
    headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
    before: [first, ...stored],
    after: [gone],
  };
}
