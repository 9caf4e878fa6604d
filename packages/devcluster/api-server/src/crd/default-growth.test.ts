import type { JsonSchema } from '@slipway/api-machinery/schema/json-schema';
import { cloneJson } from '@slipway/kube';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { growthByDefaults } from './default-growth.js';
import { applySchemaDefaults } from './schema-defaults.js';

const names = fc.constantFrom('a', 'b', 'c', 'd');

/** Schemas that nest objects, maps and lists, with defaults at every level. */
const { schema: schemas } = fc.letrec<{ schema: JsonSchema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4 },
    fc.record<JsonSchema>({ type: fc.constant('string'), default: fc.string() }),
    fc.constant<JsonSchema>({ type: 'string' }),
    fc
      .tuple(fc.dictionary(names, tie('schema')), fc.boolean())
      .map(([properties, has]): JsonSchema => ({ type: 'object', properties, ...(has && { default: {} }) })),
    fc.record<JsonSchema>({ type: fc.constant('object'), additionalProperties: tie('schema') }),
    fc
      .tuple(tie('schema'), fc.option(fc.array(fc.constant({}), { maxLength: 3 }), { nil: undefined }))
      .map(([items, more]): JsonSchema => ({ type: 'array', items, ...(more && { default: more }) })),
  ),
}));

const { value: values } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constant('text'),
    fc.dictionary(names, tie('value')),
    fc.array(tie('value'), { maxLength: 3 }),
  ),
}));

function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((count, inner) => count + valuesIn(inner), 1);
}

test('growthByDefaults() says what applySchemaDefaults() adds', () => {
  fc.assert(
    fc.property(fc.dictionary(names, schemas), values, (properties, value) => {
      const schema: JsonSchema = { type: 'object', properties };
      const grown = cloneJson({ a: value, b: {} });
      const [before, length] = [valuesIn(grown), JSON.stringify(grown).length];
      const growth = growthByDefaults(grown, schema);
      applySchemaDefaults(grown, schema);
      expect(growth.values).toBe(valuesIn(grown) - before);
      // The first field of an object has no comma before it.
      const added = JSON.stringify(grown).length - length;
      expect(growth.characters).toBeGreaterThanOrEqual(added);
      expect(growth.characters).toBeLessThanOrEqual(added + valuesIn(grown));
    }),
  );
});

test.each<[string | null | undefined, number, string]>([
  [null, 0, 'a null that the schema does not allow becomes the default'],
  ['given', 0, 'a value stays'],
  [undefined, 1, 'a missing value becomes the default'],
])('growthByDefaults() of %j counts %i values: %s', (a, expected) => {
  const schema: JsonSchema = { type: 'object', properties: { a: { type: 'string', default: 'some' } } };
  expect(growthByDefaults({ ...(a !== undefined && { a }) }, schema).values).toBe(expected);
});

test('growthByDefaults() counts defaults in each other without making them', () => {
  let items: JsonSchema = { type: 'string', default: 'x' };
  for (let depth = 0; depth < 40; depth++) {
    items = { type: 'array', default: [null, null, null, null, null, null, null, null, null, null], items };
  }
  expect(growthByDefaults({}, { type: 'object', properties: { a: items } }).values).toBeGreaterThan(1e40);
});
