import { isJsonObject, setOwn } from '@slipway/api-machinery/json/json-value';
import { itemSchema, type JsonSchema, propertySchema, valueSchema } from '@slipway/api-machinery/schema/json-schema';
import { cloneJson } from '@slipway/kube';
import { schemaFact } from './schema-fact.js';

/**
 * Fills in the defaults of a schema, in place, from the outside in: the defaults
 * inside a default are filled in too. A null where the schema does not allow
 * one stands for "not given": what has no default is gone then, unless nulls are kept.
 *
 * A few bytes can grow by gigabytes: see `requireRoomForDefaults`.
 */
export function applySchemaDefaults(value: unknown, schema: JsonSchema | undefined, nulls?: 'kept'): void {
  if (!schema || !hasDefaults(schema)) return;
  if (Array.isArray(value)) {
    const items = itemSchema(schema);
    if (!items) return;
    for (const [index, element] of value.entries()) {
      if (isStrayNull(element, items) && items.default !== undefined) value[index] = defaultOf(items);
      applySchemaDefaults(value[index], items, nulls);
    }
    return;
  }
  if (!isJsonObject(value)) return;
  for (const [name, property] of defaultedProperties(schema)) {
    if (!Object.hasOwn(value, name)) setOwn(value, name, defaultOf(property));
  }
  for (const name of Object.keys(value)) {
    const inner = propertySchema(schema, name) ?? valueSchema(schema);
    if (!inner) continue;
    if (isStrayNull(value[name], inner)) {
      if (inner.default !== undefined) setOwn(value, name, defaultOf(inner));
      else if (nulls !== 'kept') delete value[name];
    }
    applySchemaDefaults(value[name], inner, nulls);
  }
}

/** What has no fields has no nulls to drop either. */
const hasDefaults = schemaFact(
  (schema) => schema.default !== undefined || schema.properties !== undefined || valueSchema(schema) !== undefined,
);

const defaulted = new WeakMap<JsonSchema, readonly (readonly [string, JsonSchema])[]>();

/** The properties of a schema that have a default: of very many properties there may be few, and objects are many. */
export function defaultedProperties(schema: JsonSchema): readonly (readonly [string, JsonSchema])[] {
  let found = defaulted.get(schema);
  if (!found) {
    found = Object.entries(schema.properties ?? {}).filter(([, property]) => property.default !== undefined);
    defaulted.set(schema, found);
  }
  return found;
}

/** A value of its own for each that lacks one. */
function defaultOf({ default: value }: JsonSchema): unknown {
  return cloneJson(value);
}

/** Whether a value stands for "not given". */
export function isStrayNull(value: unknown, schema: JsonSchema): boolean {
  return value === null && !schema.nullable;
}
