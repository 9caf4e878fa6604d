import type { FieldSchema } from '../schema/object-schema.js';
import { itemSchema, type JsonSchema, propertySchema, valueSchema } from './json-schema.js';

const scalar: FieldSchema = { type: 'scalar', field: () => undefined };
const any: FieldSchema = { type: 'any', field: () => undefined };
const facts = new WeakMap<JsonSchema, FieldSchema>();

/** How the fields of a custom resource merge, as the extensions of its schema say. */
export function customMergeFacts(schema: JsonSchema): FieldSchema {
  const known = facts.get(schema);
  if (known) return known;
  const made = make(schema);
  facts.set(schema, made);
  return made;
}

function make(schema: JsonSchema): FieldSchema {
  const of = (inner: JsonSchema | undefined) => (inner ? customMergeFacts(inner) : undefined);
  if (schema.type === 'array') {
    const items = of(itemSchema(schema));
    const listMapKeys = schema['x-kubernetes-list-map-keys'];
    return {
      type: 'list',
      field: () => undefined,
      ...(items && { items }),
      listType: (schema['x-kubernetes-list-type'] ?? 'atomic') as 'atomic' | 'set' | 'map',
      ...(listMapKeys && { listMapKeys }),
    };
  }
  if (schema.type === 'object') {
    const others = of(valueSchema(schema));
    const unknown = schema['x-kubernetes-preserve-unknown-fields'] ? any : undefined;
    return {
      type: others && !schema.properties ? 'map' : 'object',
      field: (name) => of(propertySchema(schema, name)) ?? others ?? unknown,
      ...(schema['x-kubernetes-map-type'] === 'atomic' && { mapType: 'atomic' as const }),
    };
  }
  return schema.type === undefined && !schema['x-kubernetes-int-or-string'] ? any : scalar;
}
