import { StatusError } from '@slipway/kube';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../json/json-value.js';
import type { FieldSchema } from '../schema/object-schema.js';
import { applyStrategicMergePatch } from './strategic-merge.js';

const scalar: FieldSchema = { type: 'scalar', field: () => undefined };

function objectOf(fields: Record<string, FieldSchema>, facts: Partial<FieldSchema> = {}): FieldSchema {
  return { type: 'object', field: (name) => fields[name], ...facts };
}

function listOf(items: FieldSchema, facts: Partial<FieldSchema> = {}): FieldSchema {
  return { type: 'list', field: () => undefined, items, ...facts };
}

const merge = ['merge'] as const;
const env = listOf(objectOf({ name: scalar, value: scalar }), { patchStrategy: merge, patchMergeKey: 'name' });
const ports = listOf(objectOf({ containerPort: scalar }), { patchStrategy: merge, patchMergeKey: 'containerPort' });
const container = objectOf({ name: scalar, image: scalar, args: listOf(scalar), env, ports });
const podSpec = objectOf({
  containers: listOf(container, { patchStrategy: merge, patchMergeKey: 'name' }),
  tolerations: listOf(objectOf({})),
  strategy: objectOf({ type: scalar }, { patchStrategy: ['retainKeys'] }),
  volumes: listOf(objectOf({ name: scalar, emptyDir: objectOf({}) }), {
    patchStrategy: ['merge', 'retainKeys'],
    patchMergeKey: 'name',
  }),
});
const root = objectOf({
  metadata: objectOf({
    labels: { type: 'map', field: () => scalar },
    finalizers: listOf(scalar, { patchStrategy: merge }),
  }),
  spec: podSpec,
});

const a = {
  name: 'a',
  image: 'a:1',
  env: [
    { name: 'X', value: '1' },
    { name: 'Y', value: '2' },
  ],
};
const b = { name: 'b', image: 'b:1' };

// what | original | patch | result
const cases: [string, JsonObject, JsonObject, JsonObject][] = [
  [
    'merges an element by its key (set image)',
    { spec: { containers: [a, b] } },
    { spec: { containers: [{ name: 'b', image: 'b:2' }] } },
    { spec: { containers: [a, { name: 'b', image: 'b:2' }] } },
  ],
  [
    'keeps the order it is asked for (apply)',
    { spec: { containers: [a, b] } },
    {
      spec: {
        '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }],
        containers: [{ name: 'a', image: 'a:2' }],
      },
    },
    { spec: { containers: [b, { ...a, image: 'a:2' }] } },
  ],
  [
    'puts new elements first without an order',
    { spec: { containers: [a] } },
    { spec: { containers: [b] } },
    { spec: { containers: [b, a] } },
  ],
  [
    'removes one variable of one container and nothing else',
    { spec: { containers: [a, b] } },
    {
      spec: {
        '$setElementOrder/containers': [{ name: 'a' }, { name: 'b' }],
        containers: [{ name: 'a', '$setElementOrder/env': [{ name: 'Y' }], env: [{ $patch: 'delete', name: 'X' }] }],
      },
    },
    { spec: { containers: [{ ...a, env: [{ name: 'Y', value: '2' }] }, b] } },
  ],
  [
    'replaces a list by $patch: replace',
    { spec: { containers: [a, b] } },
    { spec: { containers: [{ $patch: 'replace' }, { name: 'c', image: 'c' }] } },
    { spec: { containers: [{ name: 'c', image: 'c' }] } },
  ],
  [
    'replaces lists without a merge strategy',
    { spec: { tolerations: [{ key: 'a' }] } },
    { spec: { tolerations: [{ key: 'b' }] } },
    { spec: { tolerations: [{ key: 'b' }] } },
  ],
  [
    'replaces an object by $patch: replace',
    { spec: { strategy: { type: 'A', x: 1 } } },
    { spec: { strategy: { $patch: 'replace', type: 'B' } } },
    { spec: { strategy: { type: 'B' } } },
  ],
  [
    'empties an object by $patch: delete',
    { metadata: { labels: { a: '1' } } },
    { metadata: { labels: { $patch: 'delete' } } },
    { metadata: { labels: {} } },
  ],
  [
    'keeps only what $retainKeys names (RollingUpdate to Recreate)',
    { spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } } },
    { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } },
    { spec: { strategy: { type: 'Recreate' } } },
  ],
  [
    'swaps the source of a volume by $retainKeys',
    { spec: { volumes: [{ name: 'v', emptyDir: {} }] } },
    { spec: { volumes: [{ $retainKeys: ['name', 'secret'], name: 'v', secret: { secretName: 's' } }] } },
    { spec: { volumes: [{ name: 'v', secret: { secretName: 's' } }] } },
  ],
  [
    'merges lists of scalars as sets',
    { metadata: { finalizers: ['x', 'y'] } },
    { metadata: { finalizers: ['y', 'z'] } },
    { metadata: { finalizers: ['x', 'y', 'z'] } },
  ],
  [
    'deletes from a list of scalars',
    { metadata: { finalizers: ['x', 'y'] } },
    {
      metadata: {
        '$deleteFromPrimitiveList/finalizers': ['x'],
        '$setElementOrder/finalizers': ['y', 'z'],
        finalizers: ['z'],
      },
    },
    { metadata: { finalizers: ['y', 'z'] } },
  ],
  [
    'removes by null',
    { metadata: { labels: { a: '1', b: '2' } } },
    { metadata: { labels: { a: null } } },
    { metadata: { labels: { b: '2' } } },
  ],
  [
    'drops nulls of what is new',
    { metadata: {} },
    { metadata: { labels: { a: null, b: '1' } } },
    { metadata: { labels: { b: '1' } } },
  ],
  [
    'drops directives of what is new',
    {},
    { spec: { '$setElementOrder/containers': [{ name: 'a' }], containers: [{ name: 'a', $retainKeys: ['name'] }] } },
    { spec: { containers: [{ name: 'a' }] } },
  ],
  [
    'means the first of two elements with one key',
    {
      spec: {
        containers: [
          {
            name: 'a',
            ports: [
              { containerPort: 53, protocol: 'UDP' },
              { containerPort: 53, protocol: 'TCP' },
            ],
          },
        ],
      },
    },
    { spec: { containers: [{ name: 'a', ports: [{ containerPort: 53, name: 'dns' }] }] } },
    {
      spec: {
        containers: [
          {
            name: 'a',
            ports: [
              { containerPort: 53, protocol: 'UDP', name: 'dns' },
              { containerPort: 53, protocol: 'TCP' },
            ],
          },
        ],
      },
    },
  ],
  [
    'takes a value of another type',
    { spec: { strategy: 'x' } },
    { spec: { strategy: { type: 'A' } } },
    { spec: { strategy: { type: 'A' } } },
  ],
];

test.each(cases)('applyStrategicMergePatch() %s', (_what, original, patch, result) => {
  const before = structuredClone([original, patch]);
  expect(applyStrategicMergePatch(original, patch, root)).toEqual(result);
  expect([original, patch]).toEqual(before);
});

test('applyStrategicMergePatch() places elements the patch does not order by their place in the live list', () => {
  const names = (list: string[]) => list.map((name) => ({ name }));
  const live = { spec: { containers: names(['s1', 'a', 's2', 'b', 's3']) } };
  const patched = applyStrategicMergePatch(
    live,
    { spec: { '$setElementOrder/containers': names(['b', 'a', 'new']), containers: names(['new']) } },
    root,
  );
  expect(patched).toEqual({ spec: { containers: names(['s1', 's2', 'b', 'a', 'new', 's3']) } });
});

describe('applyStrategicMergePatch() refuses', () => {
  const live = { spec: { containers: [a], strategy: { type: 'A' } }, metadata: { finalizers: ['x'] } };
  const refused: [unknown, number, string][] = [
    [[], 400, 'json: cannot unmarshal array into Go value of type map[string]interface {}'],
    [{ spec: { containers: [{ image: 'x' }] } }, 500, 'map: map[image:x] does not contain declared merge key: name'],
    [
      { spec: { containers: [{ $patch: 'delete' }] } },
      500,
      'map: map[$patch:delete] does not contain declared merge key: name',
    ],
    [{ spec: { $patch: 'merge', x: 1 } }, 500, 'unknown patch type: merge in map: map[$patch:merge x:1]'],
    [{ spec: { containers: [{ $patch: 'merge' }] } }, 500, 'merging lists cannot yet be specified in the patch'],
    [{ spec: { strategy: { $retainKeys: 'type' } } }, 400, 'invalid patch format of retainKeys'],
    [{ spec: { strategy: { $retainKeys: ['x'], type: 'B' } } }, 400, 'invalid patch format of retainKeys'],
    [{ metadata: { $deleteFromPrimitiveList: ['x'] } }, 400, 'invalid patch format of primitive list'],
    [{ metadata: { $setElementOrder: 1 } }, 500, 'expected a []interface {}, but received a int64'],
    [{ metadata: { $setElementOrder: ['x'] } }, 400, 'invalid patch format of setElementOrder list'],
    [
      { metadata: { '$setElementOrder/finalizers': ['y', 'x'], finalizers: ['z'] } },
      500,
      "The order in patch list:\n[z]\n doesn't match $setElementOrder list:\n[y x]\n",
    ],
  ];
  test.each(refused)('%j', (patch, code, message) => {
    try {
      applyStrategicMergePatch(live, patch, root);
      expect.unreachable();
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      expect([error.code, error.message]).toEqual([code, message]);
    }
  });
});

test('applyStrategicMergePatch() treats __proto__ as a key', () => {
  const patch = JSON.parse('{"spec":{"__proto__":{"polluted":true}}}');
  expect(JSON.stringify(applyStrategicMergePatch({ spec: {} }, patch, root))).toBe(JSON.stringify(patch));
  expect(({} as JsonObject).polluted).toBeUndefined();
});

const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 5 });
const variables = names.chain((list) =>
  fc.tuple(...list.map((name) => fc.integer({ min: 0, max: 3 }).map((value) => ({ name, value })))),
);

test('applyStrategicMergePatch() of what apply computes turns one list into the other', () => {
  fc.assert(
    fc.property(variables, variables, (live, wanted) => {
      const gone = live.filter((one) => !wanted.some((other) => other.name === one.name));
      const patch = {
        '$setElementOrder/env': wanted.map(({ name }) => ({ name })),
        env: [...wanted, ...gone.map(({ name }) => ({ $patch: 'delete', name }))],
      };
      expect(applyStrategicMergePatch({ env: live }, patch, container)).toEqual({ env: wanted });
    }),
  );
});

test('applyStrategicMergePatch() twice is once, and loses no element that the patch does not mention', () => {
  fc.assert(
    fc.property(variables, variables, (live, changes) => {
      const once = applyStrategicMergePatch({ env: live }, { env: changes }, container);
      expect(applyStrategicMergePatch(once, { env: changes }, container)).toEqual(once);
      const values = new Map([...live, ...changes].map(({ name, value }) => [name, value]));
      const found = once.env as { name: string; value: number }[];
      expect(found.length).toBe(values.size);
      expect(new Map(found.map(({ name, value }) => [name, value]))).toEqual(values);
    }),
  );
});

test('applyStrategicMergePatch() keeps the relative order of the patch and of the rest', () => {
  fc.assert(
    fc.property(variables, variables, (live, changes) => {
      const { env: merged } = applyStrategicMergePatch({ env: live }, { env: changes }, container);
      const order = (merged as { name: string }[]).map(({ name }) => name);
      const asked: string[] = changes.map(({ name }) => name);
      const others: string[] = live.map(({ name }) => name).filter((name) => !asked.includes(name));
      expect(order.filter((name) => asked.includes(name))).toEqual(asked);
      expect(order.filter((name) => others.includes(name))).toEqual(others);
    }),
  );
});
