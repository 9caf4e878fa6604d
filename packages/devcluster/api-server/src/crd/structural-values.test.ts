import { describeFieldErrors } from '@slipway/api-machinery/errors/field-errors';
import { stringFormats } from '@slipway/api-machinery/schema/formats';
import type { JsonSchema } from '@slipway/api-machinery/schema/json-schema';
import { cpuMsOf } from '@slipway/kube/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { validateListUniqueness } from './list-uniqueness.js';
import { prune } from './prune.js';
import { applySchemaDefaults } from './schema-defaults.js';
import { validateValue } from './validate-value.js';

const string: JsonSchema = { type: 'string' };
const integer: JsonSchema = { type: 'integer' };
const object = (properties: Record<string, JsonSchema>, more: JsonSchema = {}): JsonSchema => ({
  type: 'object',
  properties,
  ...more,
});

const schema = object({
  spec: object({
    size: { type: 'string', enum: ['S', 'M'], default: 'M' },
    deep: object({ inner: object({ b: { type: 'string', default: 'bee' } }, { default: {} }) }, { default: {} }),
    maybe: { type: 'string', nullable: true, default: 'given' },
    ports: { type: 'array', items: object({ name: string, protocol: { type: 'string', default: 'TCP' } }) },
    labels: { type: 'object', additionalProperties: string },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    half: object({ known: integer }, { 'x-kubernetes-preserve-unknown-fields': true }),
    template: object({ spec: object({ a: integer }) }, { 'x-kubernetes-embedded-resource': true }),
  }),
});

describe('prune()', () => {
  test('drops what the schema does not have, and nothing of what it leaves open', () => {
    const value = {
      apiVersion: 'g/v1',
      kind: 'K',
      metadata: { any: 1 },
      top: 1,
      spec: {
        bogus: 1,
        ports: [{ name: 'a', extra: 1 }],
        labels: { x: 'y' },
        free: { a: { b: [1] } },
        half: { known: 1, other: { a: 1 } },
        template: { apiVersion: 'v1', kind: 'X', metadata: { name: 'n' }, spec: { a: 1, b: 2 } },
      },
    };
    expect(prune(value, schema)).toEqual(['spec.bogus', 'spec.ports[0].extra', 'spec.template.spec.b', 'top']);
    expect(value.spec).toEqual({
      ports: [{ name: 'a' }],
      labels: { x: 'y' },
      free: { a: { b: [1] } },
      half: { known: 1, other: { a: 1 } },
      template: { apiVersion: 'v1', kind: 'X', metadata: { name: 'n' }, spec: { a: 1 } },
    });
  });

  test('does not take names of the prototype of objects for properties', () => {
    const value: Record<string, unknown> = { constructor: 1, toString: {} };
    expect(prune(value, schema)).toEqual(['constructor', 'toString']);
  });
});

describe('applySchemaDefaults()', () => {
  test.each([
    [{}, {}],
    [{ spec: {} }, { spec: { size: 'M', deep: { inner: { b: 'bee' } }, maybe: 'given' } }],
    [
      { spec: { size: null, maybe: null, deep: { inner: { b: 'x' } }, ports: [{ name: null }], labels: { a: null } } },
      { spec: { size: 'M', maybe: null, deep: { inner: { b: 'x' } }, ports: [{ protocol: 'TCP' }], labels: {} } },
    ],
  ])('%j becomes %j', (given, expected) => {
    const value = structuredClone(given);
    applySchemaDefaults(value, schema);
    expect(value).toEqual(expected);
  });

  test('hands out copies of a default', () => {
    const one = { spec: {} } as { spec: { deep?: object } };
    const other = { spec: {} } as { spec: { deep?: object } };
    applySchemaDefaults(one, schema);
    applySchemaDefaults(other, schema);
    expect(one.spec.deep).not.toBe(other.spec.deep);
  });
});

test('any object: pruning and defaulting a second time change nothing', () => {
  const keys = fc.constantFrom(
    'spec',
    'size',
    'deep',
    'inner',
    'b',
    'ports',
    'labels',
    'free',
    'half',
    'known',
    'template',
    'x',
  );
  fc.assert(
    fc.property(fc.object({ key: keys, withNullPrototype: false, maxDepth: 5 }), (given) => {
      const once = structuredClone(given) as Record<string, unknown>;
      prune(once, schema);
      applySchemaDefaults(once, schema);
      const twice = structuredClone(once);
      expect(prune(twice, schema)).toEqual([]);
      applySchemaDefaults(twice, schema);
      expect(twice).toEqual(once);
    }),
  );
});

const ports: JsonSchema = {
  type: 'array',
  items: object({ name: string, port: integer }, { required: ['name'] }),
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name'],
};

// schema of v, value, errors
const cases: [JsonSchema, unknown, string][] = [
  [integer, 1, ''],
  [integer, 1.0, ''],
  [integer, 'a', 'v: Invalid value: "string": v in body must be of type integer: "string"'],
  [
    integer,
    1.5,
    '[v: Invalid value: "number": v in body must be of type integer: "number", ' +
      '<nil>: Invalid value: "": Checked value must be of type integer (default format) in v]',
  ],
  [
    { type: 'integer', format: 'int32' },
    2 ** 31,
    '<nil>: Invalid value: "": Checked value must be of type integer with format int32 in v',
  ],
  [{ type: 'number' }, 2, ''],
  [{ type: 'boolean' }, 'true', 'v: Invalid value: "string": v in body must be of type boolean: "string"'],
  [string, null, 'v: Invalid value: "null": v in body must be of type string: "null"'],
  [{ type: 'string', nullable: true }, null, ''],
  [{ type: 'integer', minimum: 2, maximum: 8 }, 9, 'v: Invalid value: 9: v in body should be less than or equal to 8'],
  [
    { type: 'integer', minimum: 2, exclusiveMinimum: true },
    2,
    'v: Invalid value: 2: v in body should be greater than 2',
  ],
  [
    { type: 'integer', multipleOf: 3 },
    2 ** 31 - 1,
    'v: Invalid value: 2147483647: v in body should be a multiple of 3',
  ],
  [{ type: 'number', multipleOf: 2 }, 1e40, 'v: Invalid value: 1e+40: v in body should be a multiple of 2'],
  [{ type: 'integer', multipleOf: 3 }, 4, 'v: Invalid value: 4: v in body should be a multiple of 3'],
  [{ type: 'number', multipleOf: 0.1 }, 0.3, ''],
  [{ type: 'string', minLength: 2 }, '😀', 'v: Invalid value: "😀": v in body should be at least 2 chars long'],
  [{ type: 'string', maxLength: 4 }, 'abcde', 'v: Too long: may not be more than 4 bytes'],
  [{ type: 'string', pattern: '^a+$' }, 'b', 'v: Invalid value: "b": v in body should match \'^a+$\''],
  [{ type: 'string', enum: ['x', 'y'] }, 'z', 'v: Unsupported value: "z": supported values: "x", "y"'],
  [
    { type: 'string', nullable: true, enum: ['x', null] },
    null,
    'v: Unsupported value: null: supported values: "x", "null"',
  ],
  [{ not: { format: 'date' } }, true, ''],
  [{ type: 'number', format: 'float' }, false, 'v: Invalid value: "": v in body must be of type float: ""'],
  [{ type: 'string', format: 'date' }, 5, 'v: Invalid value: "int64": v in body must be of type date: "int64"'],
  [{ type: 'string', format: 'uuid' }, 'x', 'v: Invalid value: "x": v in body must be of type uuid: "x"'],
  [{ type: 'string', format: 'nobody knows' }, 'x', ''],
  [{ type: 'array', items: integer, minItems: 1 }, [], 'v: Invalid value: 0: v in body should have at least 1 items'],
  [{ type: 'array', items: integer, maxItems: 3 }, [1, 2, 3, 4], 'v: Too many: 4: must have at most 3 items'],
  [
    { type: 'array', items: integer },
    ['a'],
    'v[0]: Invalid value: "string": v[0] in body must be of type integer: "string"',
  ],
  [object({ a: integer }, { required: ['a', 'b'] }), {}, '[v.a: Required value, v.b: Required value]'],
  [{ 'x-kubernetes-int-or-string': true, maximum: 5 }, '99', ''],
  [
    { 'x-kubernetes-int-or-string': true },
    true,
    'v: Invalid value: "boolean": v in body must be of type integer,string: "boolean"',
  ],
  [
    object({ a: integer }, { anyOf: [{ required: ['a'] }, { required: ['b'] }] }),
    {},
    '[<nil>: Invalid value: "": "v" must validate at least one schema (anyOf), v.a: Required value]',
  ],
  [
    object({}, { oneOf: [{ required: ['a'] }, { required: ['b'] }] }),
    { a: 1, b: 1 },
    '<nil>: Invalid value: "": "v" must validate one and only one schema (oneOf). Found 2 valid alternatives',
  ],
  [{ type: 'string', not: { enum: ['no'] } }, 'no', '<nil>: Invalid value: "": "v" must not validate the schema (not)'],
];

describe('validateValue()', () => {
  test.each(cases)('%j: %j', (of, v, expected) => {
    const errors = validateValue({ v }, object({ v: of }));
    expect(errors.length === 0 ? '' : describeFieldErrors(errors)).toBe(expected);
  });

  test('takes what did not change as it is', () => {
    const of = object({ a: { type: 'string', maxLength: 2 }, l: ports, o: object({ p: integer, q: integer }) });
    const old = {
      a: 'long',
      l: [
        { name: 'x', port: 'bad' },
        { name: 'y', port: 'bad' },
      ],
      o: { p: 'bad', q: 1 },
    };
    const changed = {
      a: 'long',
      l: [
        { name: 'y', port: 'bad' },
        { name: 'x', port: 'worse' },
      ],
      o: { p: 'bad', q: 2 },
    };
    expect(validateValue(changed, of, { old }).map(({ field }) => field)).toEqual(['l[1].port']);
  });

  test('matches patterns in linear time', async () => {
    const schema = { type: 'string', pattern: '^(a+)+$b' } as const;
    expect(await cpuMsOf(() => validateValue('a'.repeat(50_000), schema))).toBeLessThan(2_000);
  });

  test('ends what takes too many steps', () => {
    const items = { type: 'string', pattern: '^(a?){500}a{500}$' };
    const errors = validateValue(Array(100).fill('a'.repeat(400)), { type: 'array', items });
    expect(errors.at(-1)?.detail).toContain("takes too long to be matched with '^(a?){500}a{500}$'");
  });
});

test.each([
  [{ type: 'array', items: string, 'x-kubernetes-list-type': 'set' }, ['a', 'b', 'a', 'a'], ['[2] "a"']],
  [ports, [{ name: 'a', port: 1 }, { name: 'a', port: 2 }, { name: 'b' }], ['[1] {"name":"a"}']],
  [{ type: 'array', items: string }, ['a', 'a'], []],
] as [JsonSchema, unknown, string[]][])('validateListUniqueness(): %j', (of, value, expected) => {
  const errors = validateListUniqueness(value, of);
  expect(errors.map((error) => `${error.field} ${JSON.stringify(error.value)}`)).toEqual(expected);
});

// format, texts that have it, texts that do not
const formats: [string, string[], string[]][] = [
  ['date', ['2024-02-29'], ['2023-02-29', '2024-1-1', 'x']],
  ['date-time', ['2024-01-01T00:00:00Z', '2024-01-01t23:59:59,5+01:00'], ['2024-01-01', '2024-01-01T24:00:00Z', 'x']],
  ['duration', ['1h30m', '-1s', '2 days', 'PT5S', '0', '1.5h', '5µs'], ['5', '', 'soon', '3 months']],
  ['byte', ['aGVsbG8='], ['aGVsbG8', 'not base64!', '']],
  ['ipv4', ['1.2.3.4', '01.2.3.4', '::ffff:1.2.3.4'], ['1.2.3', '256.1.1.1', '::1']],
  ['ipv6', ['::1', 'fe80::1'], ['1.2.3.4', 'x']],
  ['cidr', ['10.0.0.0/8', '::/0', '10.0.0.0/08'], ['10.0.0.0/33', '10.0.0.0', '::/129']],
  ['mac', ['01:23:45:67:89:ab', '0123.4567.89ab', '01-23-45-67-89-AB'], ['zz', '01:23', '01:23-45:67:89:ab']],
  ['uuid4', ['b1a3f0c6-4d9c-4f0e-9a2b-1c2d3e4f5a6b'], ['b1a3f0c6-4d9c-1f0e-9a2b-1c2d3e4f5a6b']],
  [
    'email',
    ['a@b', 'Name <a@b.c>', '"a b"@c', 'ä@b.de ', 'a@[1.2.3.4]'],
    ['a', 'a b@c', 'a..b@c', '(c)a@b', 'm:x@y', 'a '.repeat(60)],
  ],
  [
    'hostname',
    ['UPPER.case', 'a', 'a-b', 'my-host.name'],
    ['my-host', 'a.b.c', '-a', 'a..b', 'under_score.x', '1.2.3.4', 'x'.repeat(64)],
  ],
  ['uri', ['https://a.b/c', '/relative', 'mailto:a@b', 'fe80::1%eth0', '*'], ['/%zz', 'not a uri', 'http://[::1', '']],
  ['isbn10', ['0306406152'], ['0306406153', 'x']],
  ['isbn13', ['9780306406157'], ['9780306406158']],
  ['creditcard', ['4111 1111 1111 1111', '30569309025904', '3530111333300000'], ['4111 1111 1111 1112', '1234']],
  ['ssn', ['123-45-6789'], ['1', '123456789']],
  ['hexcolor', ['#fff', 'a0b1c2'], ['#ff', 'red']],
  ['rgbcolor', ['rgb(1,2,3)'], ['rgb(01,2,3)', 'rgb(300,0,0)', 'red']],
  ['k8s-short-name', ['abc'], ['a.b', 'A', 'x'.repeat(64)]],
];

test.each(formats)('format %s', (format, good, bad) => {
  const fits = stringFormats.get(format);
  expect(good.filter((text) => !fits?.(text))).toEqual([]);
  expect(bad.filter((text) => fits?.(text))).toEqual([]);
});
