import { maxErrors } from '@slipway/api-machinery/errors/status-errors';
import type { JsonSchema } from '@slipway/api-machinery/schema/json-schema';
import { expect, test } from 'vitest';
import { validateSchema } from './validate-schema.js';

const path = 'spec.validation.openAPIV3Schema';
const fields = (count: number, field: JsonSchema): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, field])),
});

test('validateSchema() looks at rules once defaults fit, and at keywords in any case', () => {
  const rules = [{ rule: 'self.nope == 1', optionalOldSelf: true }];
  const schema = (text: JsonSchema) => ({ type: 'object', properties: { text }, 'x-kubernetes-validations': rules });
  const complaints = (text: JsonSchema) =>
    validateSchema(schema(text), path).map(({ field }) => field.replace(`${path}.`, ''));
  expect(complaints({ type: 'string', default: 1, maxLength: 5 })).toEqual(['properties[text].default']);
  expect(complaints({ type: 'array', default: 1, uniqueItems: true, items: { type: 'string' } })).toEqual([
    'properties[text].default',
    'properties[text].uniqueItems',
  ]);
  expect(complaints({ type: 'object', additionalProperties: { type: 'string', default: 1 } })).toHaveLength(2);
  expect(complaints({ type: 'string' })).toEqual([
    'x-kubernetes-validations[0].rule',
    'x-kubernetes-validations[0].optionalOldSelf',
  ]);
});

// what is wrong with each of many fields
const wrong: [string, JsonSchema][] = [
  ['its type', { type: 'strong' }],
  ['it has no type', {}],
];
test.each(wrong)('validateSchema() looks no further once it has as many errors as are told: %s', (_, field) => {
  const few = validateSchema(fields(maxErrors, field), path);
  const many = validateSchema(fields(50_000, field), path);
  expect(few.length).toBeGreaterThanOrEqual(maxErrors);
  expect(many.slice(0, maxErrors)).toEqual(few.slice(0, maxErrors));
  expect(many.length).toBeLessThan(2 * maxErrors);
});

// what | schema of the object | what is said of it, by field
const rules: [string, JsonSchema, Record<string, RegExp>][] = [
  [
    'the message of a rule that cannot be compiled is not looked at',
    { type: 'object', 'x-kubernetes-validations': [{ rule: 'self.nope', messageExpression: '1' }] },
    { 'x-kubernetes-validations[0].rule': /undefined field 'nope'/ },
  ],
  [
    'types are compared, whatever they are of',
    { type: 'object', 'x-kubernetes-validations': [{ rule: 'type(self) == string' }] },
    {},
  ],
  [
    'no rule is looked at where one schema says that it keeps no unknown fields',
    {
      type: 'object',
      properties: { other: { type: 'object', 'x-kubernetes-preserve-unknown-fields': false as never } },
      'x-kubernetes-validations': [{ rule: 'self.nope' }],
    },
    { 'properties[other].x-kubernetes-preserve-unknown-fields': /must be true or undefined/ },
  ],
  [
    'a value of a map that is named like a field may be of any size',
    {
      type: 'object',
      properties: {
        of: {
          type: 'object',
          maxProperties: 5,
          additionalProperties: { type: 'string', maxLength: 5 },
          'x-kubernetes-validations': [{ rule: 'self.b.startsWith(self.a)' }],
        },
      },
    },
    {
      'properties[of].x-kubernetes-validations[0].rule': /cost exceeds budget|contributed to estimated rule cost/,
      '': /cost total for entire OpenAPIv3 schema exceeds budget/,
    },
  ],
];

test.each(rules)('validateSchema(): %s', (_what, schema, expected) => {
  const errors = validateSchema(schema, path);
  expect(new Set(errors.map(({ field }) => field.slice(path.length + 1)))).toEqual(new Set(Object.keys(expected)));
  for (const { field, detail } of errors) expect(detail).toMatch(expected[field.slice(path.length + 1)] as RegExp);
});
