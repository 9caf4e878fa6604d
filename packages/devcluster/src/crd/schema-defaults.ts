import { cloneJson } from '@slipway/kube';
import { isObject, itemSchema, type JsonSchema, propertySchema, valueSchema } from './json-schema.js';
import { schemaFact } from './schema-fact.js';

/**
 * Fills in the defaults of a schema, in place, from the outside in: the defaults
 * inside a default are filled in too. A null where the schema does not allow
 * one stands for "not given": what has no default is gone then, unless nulls are kept.
 */
export function applySchemaDefaults(value: unknown, schema: JsonSchema | undefined, nulls?: 'kept'): void {
  if (!schema) return;
  if (Array.isArray(value)) {
    const items = itemSchema(schema);
    if (!items || !hasDefaults(items)) return;
    for (const [index, element] of value.entries()) {
      if (isStrayNull(element, items) && items.default !== undefined) value[index] = defaultOf(items);
      applySchemaDefaults(value[index], items, nulls);
    }
    return;
  }
  if (!isObject(value)) return;
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const given = Object.hasOwn(value, name) && !isStrayNull(value[name], property);
    if (!given && property.default !== undefined) value[name] = defaultOf(property);
    else if (!given && nulls !== 'kept') delete value[name];
  }
  const others = valueSchema(schema);
  for (const name of Object.keys(value)) {
    const inner = propertySchema(schema, name) ?? others;
    if (!inner) continue;
    if (inner === others && isStrayNull(value[name], inner)) {
      if (inner.default === undefined) {
        if (nulls !== 'kept') delete value[name];
        continue;
      }
      value[name] = defaultOf(inner);
    }
    applySchemaDefaults(value[name], inner, nulls);
  }
}

/** What has no fields has no nulls to drop either. */
const hasDefaults = schemaFact(
  (schema) => schema.default !== undefined || schema.properties !== undefined || valueSchema(schema) !== undefined,
);

/** A value of its own for each that lacks one. */
function defaultOf({ default: value }: JsonSchema): unknown {
  return cloneJson(value);
}

function isStrayNull(value: unknown, schema: JsonSchema): boolean {
  return value === null && !schema.nullable;
}
