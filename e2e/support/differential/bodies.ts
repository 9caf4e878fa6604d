import fc from 'fast-check';
import { fittingValue, oddValue, type Schema, type Schemas, someOf } from './schema-values.js';

export const patchTypes = [
  'json-patch+json',
  'merge-patch+json',
  'strategic-merge-patch+json',
  'apply-patch+yaml',
] as const;
type PatchType = (typeof patchTypes)[number];

/** What is set of the metadata besides the name. */
export const metadataChange = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  { weight: 2, arbitrary: fc.constant({ resourceVersion: '{rv}' }) },
  {
    weight: 2,
    arbitrary: someOf(1, {
      resourceVersion: fc.constantFrom('{rv}', '1', 'a', ''),
      uid: fc.constantFrom('{uid}', 'other'),
      generateName: fc.constantFrom('a-', 'A'),
      labels: fc.constantFrom<unknown>({ run: '{ns}', app: 'b' }, { 'a b': 'c' }, { a: 'é' }, { run: '{ns}', a: 1 }),
      annotations: fc.constantFrom<unknown>({ a: 'b' }, { 'a b': 'c' }, { a: 1 }, null),
      finalizers: fc.constantFrom<unknown>(
        ['example.dev/f'],
        ['f'],
        ['foregroundDeletion'],
        ['orphan', 'foregroundDeletion'],
        [],
      ),
      ownerReferences: fc.array(
        fc.record(
          {
            apiVersion: fc.constantFrom('v1', 'a/b/c', ''),
            kind: fc.constantFrom('ConfigMap', ''),
            name: fc.constantFrom('a', ''),
            uid: fc.constantFrom('u', 'v', ''),
            controller: fc.boolean(),
            blockOwnerDeletion: fc.boolean(),
          },
          { requiredKeys: ['apiVersion', 'kind', 'name', 'uid'] },
        ),
        { maxLength: 3 },
      ),
      creationTimestamp: fc.constantFrom('2001-01-01T00:00:00Z', 'a'),
      deletionTimestamp: fc.constant('2001-01-01T00:00:00Z'),
      generation: fc.constantFrom<unknown>(5, 'a'),
      namespace: fc.constantFrom('{ns}', 'other', ''),
      selfLink: fc.constant('/a'),
      managedFields: fc.constantFrom<unknown>([], [{}], [{ manager: 'x', operation: 'Apply' }], null),
    }),
  },
);

export function mergeMetadata(object: Record<string, unknown>, change: object): Record<string, unknown> {
  const { metadata } = object;
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return object;
  return { ...object, metadata: { ...metadata, ...change } };
}

/** JSON text that a strict decoder has something to say about, or that is none. */
export function oddJson(object: object): fc.Arbitrary<string> {
  const text = JSON.stringify(object);
  return fc.oneof(
    fc.constantFrom(
      text.replace('{', '{"unknown":1,'),
      text.replace('{', '{"kind":"Twice",'),
      text.replace('"metadata":{', '"metadata":{"name":"b",'),
      text.replace('"metadata":{', '"metadata":{"unknown":{"a":1},'),
      text.replace('"metadata":', '"Metadata":'),
      text.replaceAll('"kind":', '"__proto__":{"a":1},"kind":'),
      `${text}x`,
      `${text}{}`,
      `[${text}]`,
      '',
      'null',
      '1',
      '"a"',
      '{}',
      '{"a"',
      '{"a":"\u0001"}',
      '{"a":01}',
      '{"metadata":{"labels":{"a":"\\ud800"}}}',
    ),
    fc.nat(text.length).map((length) => text.slice(0, length)),
    fc
      .tuple(fc.nat(text.length), fc.constantFrom(',', '}', '"', ':', '[', '1', '\\', '\t', 'n'))
      .map(([at, put]) => text.slice(0, at) + put + text.slice(at)),
  );
}

/** The body of a patch of that type. */
export function patchBody(
  type: PatchType,
  object: fc.Arbitrary<Record<string, unknown>>,
  schema: Schema,
  schemas: Schemas,
): fc.Arbitrary<string> {
  if (type === 'json-patch+json') return jsonPatch;
  if (type === 'apply-patch+yaml')
    return fc.oneof(
      { weight: 8, arbitrary: object.map((each) => JSON.stringify(each)) },
      { weight: 1, arbitrary: object.chain(oddJson) },
      { weight: 1, arbitrary: oddYaml },
    );
  const partial = fc.oneof(
    object.map(({ apiVersion: _version, kind: _kind, ...rest }) => rest as object),
    fittingValue(schema, schemas, 3).map((each) => Object(each) as object),
    metadataChange.map((metadata) => ({ metadata })),
    fc.constantFrom<object>(
      { metadata: { labels: null } },
      { metadata: null },
      { spec: null },
      { $patch: 'replace', metadata: {} },
      { metadata: { $retainKeys: ['name'], name: 'a' } },
      { metadata: { finalizers: ['example.dev/f'], $setElementOrder: 1 } },
    ),
  );
  return fc.oneof(
    { weight: 8, arbitrary: partial.map((each) => JSON.stringify(each)) },
    { weight: 1, arbitrary: partial.chain(oddJson) },
  );
}

const pointer = fc.constantFrom(
  '/metadata/labels/run',
  '/metadata/labels',
  '/metadata/annotations',
  '/metadata/name',
  '/spec',
  '/spec/replicas',
  '/data/a',
  '/data',
  '/a/b',
  '',
  'a',
  '/metadata/labels/-',
  '/spec/template/spec/containers/0',
  '/spec/ports/-',
  '/spec/ports/1',
  '/spec/ports/01',
  '/metadata/labels/a~1b',
  '/metadata/resourceVersion',
);

const jsonPatch = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .array(
        fc.record(
          {
            op: fc.constantFrom('add', 'remove', 'replace', 'test', 'move', 'copy', 'Add'),
            path: pointer,
            from: pointer,
            value: fc.oneof(fc.constantFrom<unknown>('a', 1, { a: 'b' }), oddValue),
          },
          { requiredKeys: ['op', 'path'] },
        ),
        { maxLength: 3 },
      )
      .map((each) => JSON.stringify(each)),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '{}',
      '',
      'a',
      '[1]',
      '[{}]',
      '[{"op":1}]',
      '[{"op":"add","path":1}]',
      'null',
      '[null]',
      '[{"op":"add"}]',
    ),
  },
);

const oddYaml = fc.constantFrom(
  'a: b: c',
  '{',
  'a: *b',
  '- a',
  'metadata: {name: a}\nkind: ConfigMap\napiVersion: v1\n---\na: 1',
  'a: 1\na: 2',
  '? a',
  'kind: ~',
  'metadata:\n\tname: a',
  '1: 2',
  'a: !!binary YQ==',
  'a: 0x1F',
  'a: .inf',
  'a: 1_000',
  'a: 2001-01-01',
  'yes: no',
  '"\\ud800": 1',
  '%',
  '',
);
