import { readFileSync } from 'node:fs';
import type { JsonSchema } from '@slipway/api-machinery/schema/json-schema';
import { expect, test } from 'vitest';
import { validateValue } from './validate-value.js';

/**
 * Random schemas, and random values that the validator of Kubernetes itself took
 * or refused: `pkg/validation` of kube-openapi, as Debian packages it.
 */
interface Judged {
  readonly schema: JsonSchema;
  readonly taken: readonly unknown[];
  readonly refused: readonly unknown[];
}

const recorded = readFileSync(new URL('./testdata/recorded-values.jsonl', import.meta.url), 'utf8');
const judged = recorded
  .trimEnd()
  .split('\n')
  .map((line): Judged => JSON.parse(line));

test.each(judged)('values of $schema are taken and refused as Kubernetes does', ({ schema, taken, refused }) => {
  const isTaken = (value: unknown) => validateValue(value, schema).length === 0;
  expect(taken.filter((value) => !isTaken(value))).toEqual([]);
  expect(refused.filter(isTaken)).toEqual([]);
});
