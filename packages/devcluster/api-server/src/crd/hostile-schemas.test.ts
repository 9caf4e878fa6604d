import type { JsonSchema } from '@slipway/api-machinery/schema/json-schema';
import { StatusError } from '@slipway/kube';
import { cpuMsOf } from '@slipway/kube/testing';
import { expect, test } from 'vitest';
import { customSchema } from './custom-schema.js';

const named = { group: 'example.dev', version: 'v1', kind: 'Hostile' };
const text: JsonSchema = { type: 'string' };
const object = (properties: Record<string, JsonSchema>, more: JsonSchema = {}): JsonSchema => ({
  type: 'object',
  properties,
  ...more,
});
const list = (items: JsonSchema, more: JsonSchema = {}): JsonSchema => ({ type: 'array', items, ...more });
const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
const fields = (count: number, of: JsonSchema) => Object.fromEntries(many(count, (index) => [`f${index}`, of]));
const deep = (depth: number): JsonSchema =>
  depth === 0 ? { maximum: 1 } : { anyOf: [deep(depth - 1), deep(depth - 1)] };
const asObject = (a: JsonSchema, value: unknown) => ({
  schema: object({ a }),
  object: { apiVersion: 'example.dev/v1', kind: 'Hostile', metadata: { name: 'x' }, a: value },
});

/** Parts of about the same length in which each of them is done, at the least. */
const leastSlices: Readonly<Record<string, number>> = {
  'an enum of 40,000 texts': 5,
  'an enum of 5,000 objects': 5,
  'an anyOf of 1,000': 1_000,
  'an anyOf 12 deep': 1_000,
  '1,000 required fields': 3,
  '10,000 properties': 100,
  '200 formats of a long text': 25,
  '200 lengths of a long text': 25,
  'a map of 50,000 items with keys': 400,
  'a set of 90,000 texts': 600,
  'a rule for each of 40,000 texts': 250,
};

test.each<[string, JsonSchema, () => unknown]>([
  ['an enum of 40,000 texts', list({ ...text, enum: many(40_000, (at) => `v${at}`) }), () => many(50_000, () => 'no')],
  [
    'an enum of 5,000 objects',
    list({ type: 'object', enum: many(5_000, (a) => ({ a, b: 1 })) }),
    () => many(20_000, () => ({ b: 1, a: 4_999 })),
  ],
  [
    'an anyOf of 1,000',
    list({ ...text, anyOf: many(1_000, (at) => ({ pattern: `^x${at}$` })) }),
    () => many(40_000, () => 'y'),
  ],
  ['an anyOf 12 deep', list({ type: 'integer', ...deep(12) }), () => many(50_000, () => 2)],
  [
    '1,000 required fields',
    list(object({}, { required: many(1_000, (at) => `f${at}`) })),
    () => many(50_000, () => ({})),
  ],
  ['10,000 properties', list(object(fields(10_000, text))), () => many(50_000, () => ({}))],
  [
    '200 formats of a long text',
    { ...text, allOf: many(200, () => ({ format: 'creditcard' })) },
    () => '1.'.repeat(500_000),
  ],
  [
    '200 lengths of a long text',
    { ...text, allOf: many(200, () => ({ maxLength: 900_000 })) },
    () => 'x'.repeat(1_000_000),
  ],
  [
    'a map of 50,000 items with keys',
    list(object({ k: text }), { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] }),
    () => many(50_000, (at) => ({ k: `k${at}` })),
  ],
  ['a set of 90,000 texts', list(text, { 'x-kubernetes-list-type': 'set' }), () => many(90_000, (at) => `v${at}`)],
  [
    'a rule for each of 40,000 texts',
    list({ ...text, maxLength: 5, 'x-kubernetes-validations': [{ rule: "self != 'x'" }] }),
    () => many(40_000, () => 'y'),
  ],
])('customSchema() validates in slices what has %s, and ends', (what, of, value) => {
  const { schema, object: hostile } = asObject(of, value());
  const custom = customSchema(named, schema);
  custom.admit(hostile);
  custom.applyDefaults(hostile);
  // What is compiled once is there before.
  const work = custom.validate?.(hostile);
  let slices = 1;
  while (work?.next().done === false) slices++;
  expect(slices).toBeGreaterThanOrEqual(leastSlices[what] ?? 0);
});

const defaulted = object(fields(300, { ...text, default: 'a default' }));

test.each<[string, JsonSchema, () => unknown]>([
  ['60,000 items of 300 defaults', list(defaulted), () => many(60_000, () => ({}))],
  [
    '60,000 entries of 300 defaults',
    { type: 'object', additionalProperties: defaulted },
    () => Object.fromEntries(many(60_000, (at) => [`k${at}`, {}])),
  ],
  ['large defaults in place of nulls', list({ ...text, default: 'd'.repeat(20_000) }), () => many(4_000, () => null)],
  [
    'defaults in defaults',
    many(12, () => 0).reduce<JsonSchema>((items) => list(items, { default: many(10, () => null) }), text),
    () => null,
  ],
])('customSchema() rejects %s before they are built', async (_what, of, value) => {
  const { schema, object: hostile } = asObject(of, value());
  const before = JSON.stringify(hostile);
  const custom = customSchema(named, schema);
  const tookMs = await cpuMsOf(() => expect(() => custom.applyDefaults(hostile)).toThrow(StatusError));
  expect(tookMs).toBeLessThan(1_000);
  expect(JSON.stringify(hostile)).toBe(before);
});

test.each([
  [249, 'etcdserver: request is too large', 6_000],
  [249, 'its schema has defaults for 119520 more values, and 100000 is the most', 3],
])('customSchema() says why %i × 480 defaults are too many: %s', (items, message, length) => {
  const of = object(fields(480, { ...text, default: 'd'.repeat(length) }));
  const { schema, object: hostile } = asObject(
    list(of),
    many(items, () => ({})),
  );
  expect(() => customSchema(named, schema).applyDefaults(hostile)).toThrow(message);
});
