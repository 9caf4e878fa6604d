import { ruleValidator } from '../cel/validate-with-rules.js';
import type { FieldError } from '../registry/resource-definition.js';
import { isObject, itemSchema, type JsonSchema, valueSchema } from './json-schema.js';
import { validateListUniqueness } from './list-uniqueness.js';
import { prune } from './prune.js';
import { validateValue } from './validate-value.js';

/** Checks that every default in a structural schema is a value the schema allows. */
export function validateSchemaDefaults(schema: JsonSchema, path: string): FieldError[] {
  const items = itemSchema(schema);
  const others = valueSchema(schema);
  return [
    ...validateDefault(schema, `${path}.default`),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
      validateSchemaDefaults(property, `${path}.properties[${name}]`),
    ),
    ...(items ? validateSchemaDefaults(items, `${path}.items`) : []),
    ...(others ? validateSchemaDefaults(others, `${path}.additionalProperties`) : []),
  ];
}

function validateDefault(schema: JsonSchema, path: string): FieldError[] {
  const value = schema.default;
  if (value === undefined) return [];
  if (isObject(value) && hasUnknownFields(value, schema)) {
    return [{ type: 'Invalid', field: path, value, detail: 'must not have unknown fields' }];
  }
  const errors = validateValue(value, schema, { base: path });
  if (errors.length > 0) return errors;
  const repeated = validateListUniqueness(value, schema);
  if (repeated.length > 0) return repeated.map((error) => ({ ...error, field: `${path}${error.field}` }));
  return brokenRules(value, schema, path);
}

function brokenRules(value: unknown, schema: JsonSchema, path: string): FieldError[] {
  const rules = ruleValidator({ type: 'object', properties: { value: schema } });
  return (rules?.errors({ value }, undefined) ?? []).map((error) => ({
    ...error,
    field: error.field.replace(/^value/, path),
  }));
}

function hasUnknownFields(value: Record<string, unknown>, schema: JsonSchema): boolean {
  const dropped = prune(structuredClone({ value }), { type: 'object', properties: { value: schema } });
  return dropped.length > 0;
}
