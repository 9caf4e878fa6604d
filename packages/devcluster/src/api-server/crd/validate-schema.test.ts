import { maxErrors } from '@slipway/api-machinery/errors/status-errors';
import type { JsonSchema } from '@slipway/api-machinery/schema/json-schema';
import { expect, test } from 'vitest';
import { validateSchema } from './validate-schema.js';

const path = 'spec.validation.openAPIV3Schema';
const fields = (count: number, field: JsonSchema): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, field])),
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
