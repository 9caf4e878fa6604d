import { appendErrors } from '@slipway/api-machinery/errors/append-errors';
import type { FieldError } from '@slipway/api-machinery/errors/field-error';
import type { Resumable } from '@slipway/api-machinery/event-loop/resumable';
import { isJsonObject } from '@slipway/api-machinery/json/json-value';
import { itemSchema, type JsonSchema } from '@slipway/api-machinery/schema/json-schema';
import { ruleValidator } from '@slipway/cel/kubernetes/validate-with-rules';
import { validatingLists } from './list-uniqueness.js';
import { prune } from './prune.js';
import { validatingValue } from './validate-value.js';

/** Checks that every default in a structural schema is a value the schema allows; like Kubernetes, not in values of maps. */
export function* validateSchemaDefaults(schema: JsonSchema, path: string): Resumable<FieldError[]> {
  yield;
  const items = itemSchema(schema);
  const errors = yield* validatingDefault(schema, `${path}.default`);
  const { properties = {} } = schema;
  for (const name of Object.keys(properties)) {
    appendErrors(errors, yield* validateSchemaDefaults(properties[name] as JsonSchema, `${path}.properties[${name}]`));
  }
  if (items) appendErrors(errors, yield* validateSchemaDefaults(items, `${path}.items`));
  return errors;
}

function* validatingDefault(schema: JsonSchema, path: string): Resumable<FieldError[]> {
  const value = schema.default;
  if (value === undefined) return [];
  if (isJsonObject(value) && hasUnknownFields(value, schema)) {
    return [{ type: 'Invalid', field: path, value, detail: 'must not have unknown fields' }];
  }
  const errors = yield* validatingValue(value, schema, { base: path });
  if (errors.length > 0) return errors;
  const repeated = yield* validatingLists(value, schema);
  if (repeated.length > 0) return repeated.map((error) => ({ ...error, field: `${path}${error.field}` }));
  return yield* brokenRules(value, schema, path);
}

function* brokenRules(value: unknown, schema: JsonSchema, path: string): Resumable<FieldError[]> {
  const rules = ruleValidator({ type: 'object', properties: { value: schema } });
  if (!rules) return [];
  const kept = yield* rules.errorsOfKept({ value });
  const errors = kept.length > 0 ? kept : yield* rules.errors({ value }, undefined);
  return errors.map((error) => ({
    ...error,
    field: error.field.replace(/^value/, path),
  }));
}

function hasUnknownFields(value: Record<string, unknown>, schema: JsonSchema): boolean {
  const dropped = prune(structuredClone({ value }), { type: 'object', properties: { value: schema } });
  return dropped.length > 0;
}
