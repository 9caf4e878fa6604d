import { itemSchema, type JsonSchema, ownFields, propertySchema, valueSchema } from './json-schema.js';
import { mergeFacts } from './merge-facts.js';
import { shippedTable } from './message-table.js';
import type { FieldSchema } from './object-schema.js';

const scalar: FieldSchema = { type: 'scalar', field: () => undefined };
const text: FieldSchema = { ...scalar, scalar: 'string' };
const any: FieldSchema = { type: 'any', field: () => any };

/** Reads from the extensions of a custom resource's schema how its fields merge. */
export function customMergeFacts(schema: JsonSchema): FieldSchema {
  return asResource(new FactsMaker().factsOf(schema));
}

/** An object that is a resource has a type and metadata, which its schema does not describe. */
function asResource(described: FieldSchema): FieldSchema {
  return {
    ...described,
    type: 'object',
    field(name) {
      if (name === 'metadata') return mergeFacts(shippedTable().message('meta.v1.ObjectMeta'));
      return ownFields.has(name) ? text : described.field(name);
    },
    declares: (name) => ownFields.has(name) || (described.declares?.(name) ?? described.type === 'object'),
  };
}

/** Makes the facts of a schema when they are first asked for, and keeps them. */
class FactsMaker {
  readonly #known = new Map<JsonSchema, FieldSchema>();

  /** @param keepsUnknown what is around the schema takes fields it does not know, and so does what is inside */
  factsOf(schema: JsonSchema, keepsUnknown = false): FieldSchema {
    let facts = this.#known.get(schema);
    if (!facts) {
      facts = this.#make(schema, keepsUnknown || schema['x-kubernetes-preserve-unknown-fields'] === true);
      this.#known.set(schema, facts);
    }
    return facts;
  }

  #make(schema: JsonSchema, keepsUnknown: boolean): FieldSchema {
    const of = (inner: JsonSchema | undefined) => inner && this.factsOf(inner, keepsUnknown);
    const withDefault = schema.default === undefined ? {} : { default: schema.default };
    switch (schema.type) {
      case 'array': {
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
      case 'object': {
        const others = of(valueSchema(schema));
        const isFree = schema.additionalProperties === true || (!schema.additionalProperties && !schema.properties);
        const unknown = keepsUnknown || isFree ? any : undefined;
        const described: FieldSchema = {
          type: others && !schema.properties ? 'map' : 'object',
          field: (name) => of(propertySchema(schema, name)) ?? others ?? unknown,
          declares: (name) => propertySchema(schema, name) !== undefined,
          ...(schema['x-kubernetes-map-type'] === 'atomic' && { mapType: 'atomic' as const }),
          ...(!schema.properties && (others ?? unknown)?.type === 'any' && { undescribed: true as const }),
        };
        return schema['x-kubernetes-embedded-resource'] ? asResource(described) : described;
      }
      case 'string':
        return { ...(schema.format === undefined || schema.format === 'byte' ? text : scalar), ...withDefault };
      case 'integer':
      case 'number':
        return { ...scalar, scalar: 'numeric', ...withDefault };
      case 'boolean':
        return { ...scalar, scalar: 'boolean', ...withDefault };
      default:
        return any;
    }
  }
}
