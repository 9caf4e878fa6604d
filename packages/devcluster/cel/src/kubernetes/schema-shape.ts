import { isJsonObject } from '@slipway/api-machinery/json/json-value';
import { itemSchema, type JsonSchema, valueSchema } from '@slipway/api-machinery/schema/json-schema';
import { parseDuration, parseTimestamp } from '../library/times.js';
import * as types from '../values/cel-type.js';
import { fail } from '../values/failure.js';
import { escapeField } from '../values/field-names.js';
import type { Shape } from '../values/shape.js';
import { keyText, List, MapValue, ObjectValue, type Value } from '../values/values.js';

/** The largest request that is taken, in bytes; it bounds what a schema leaves open. */
export const maxRequestBytes = 3 * 1024 * 1024;
/** Most bytes of a character, as maxLength counts them. */
const bytesOfCharacter = 4;

const shapes = new WeakMap<JsonSchema, Shape | undefined>();
const rootShapes = new WeakMap<JsonSchema, Shape | undefined>();

/**
 * Returns the type that a schema gives a value; undefined when the schema is too vague for rules to refer to the value.
 */
export function shapeOf(schema: JsonSchema, isRoot: boolean): Shape | undefined {
  const known = isRoot ? rootShapes : shapes;
  if (!known.has(schema)) known.set(schema, makeShape(schema, isRoot || !!schema['x-kubernetes-embedded-resource']));
  return known.get(schema);
}

function makeShape(given: JsonSchema, isResource: boolean): Shape | undefined {
  if (given['x-kubernetes-int-or-string']) {
    const { maxLength } = given;
    const maxSize = maxLength === undefined ? maxRequestBytes - 2 : maxLength * bytesOfCharacter;
    return { type: types.dyn, maxSize, minBytes: 1, read: readIntOrString };
  }
  const schema = isResource ? withOwnFields(given) : given;
  switch (schema.type) {
    case 'array':
      return listShape(schema);
    case 'object': {
      const values = valueSchema(schema);
      return values ? mapShape(schema, values) : objectShape(schema);
    }
    case 'string':
      return stringShape(schema);
    case 'boolean':
      return { type: types.bool, maxSize: 0, minBytes: 4, read: (value) => value as boolean };
    case 'number':
      return {
        type: types.double,
        maxSize: 0,
        minBytes: 1,
        read: (value) => (typeof value === 'number' || typeof value === 'bigint' ? Number(value) : bad(value)),
      };
    case 'integer':
      return { type: types.int, maxSize: 0, minBytes: 1, read: readInt };
    default:
      return undefined;
  }
}

const text: JsonSchema = { type: 'string' };

/** Of every object, rules can read its type and its name, whatever the schema says. */
function withOwnFields(schema: JsonSchema): JsonSchema {
  const { name, generateName } = schema.properties?.metadata?.properties ?? {};
  const named = { name: atMost(longestName, name), generateName: atMost(longestName - 1, generateName) };
  const metadata: JsonSchema = { type: 'object', properties: named };
  return { ...schema, type: 'object', properties: { ...schema.properties, apiVersion: text, kind: text, metadata } };
}

const longestName = 253;

function atMost(length: number, { maxLength = length }: JsonSchema = {}): JsonSchema {
  return { ...text, maxLength: Math.min(length, maxLength) };
}

function listShape(schema: JsonSchema): Shape | undefined {
  const items = itemSchema(schema);
  const element = items && shapeOf(items, false);
  if (!element) return undefined;
  const keyOf = elementKey(schema);
  return {
    type: types.listOf(element.type),
    maxSize: schema.maxItems ?? Math.trunc((maxRequestBytes - 2) / (element.minBytes + 1)),
    minBytes: 2,
    element,
    read: (value) =>
      Array.isArray(value)
        ? new List(
            value.map((item) => orNull(element, item)),
            keyOf,
          )
        : bad(value),
  };
}

/** Elements of sets are told apart by themselves, those of maps by their keys. */
function elementKey(schema: JsonSchema): ((item: Value) => string) | undefined {
  const listType = schema['x-kubernetes-list-type'];
  if (listType === 'set') return (item) => keyText(item) ?? JSON.stringify(item, (_, part) => String(part));
  const names = (schema['x-kubernetes-list-map-keys'] ?? []).map((name) => escapeField(name) ?? name);
  if (listType !== 'map' || names.length === 0) return undefined;
  return (item) =>
    JSON.stringify(names.map((name) => (item instanceof ObjectValue ? keyText(item.get(name) ?? null) : undefined)));
}

function mapShape(schema: JsonSchema, values: JsonSchema): Shape | undefined {
  const element = shapeOf(values, false);
  if (!element) return undefined;
  return {
    type: types.mapOf(types.string, element.type),
    maxSize: schema.maxProperties ?? Math.trunc((maxRequestBytes - 2) / (element.minBytes + 6)),
    minBytes: 2,
    element,
    read: (value) =>
      isJsonObject(value)
        ? new MapValue(Object.entries(value).map(([name, inner]) => [name, orNull(element, inner)] as const))
        : bad(value),
  };
}

function objectShape(schema: JsonSchema): Shape {
  const fields = new Map<string, Shape>();
  const names = new Map<string, string>();
  const fieldTypes = new Map<string, types.CelType>();
  let minBytes = 2;
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const shape = shapeOf(property, false);
    if (!shape) continue;
    if (schema.required?.includes(name) && property.default === undefined) minBytes += name.length + shape.minBytes + 4;
    const escaped = escapeField(name);
    if (escaped === undefined) continue;
    fields.set(escaped, shape);
    names.set(name, escaped);
    fieldTypes.set(escaped, shape.type);
  }
  const type = { name: 'object', params: [], fields: fieldTypes };
  return {
    type,
    // Kubernetes takes comparing objects for free, whatever is in them.
    maxSize: 0,
    minBytes,
    fields,
    read(value) {
      if (!isJsonObject(value)) return bad(value);
      const found = new Map<string, () => Value>();
      for (const name of Object.keys(value)) {
        const escaped = names.get(name);
        const shape = escaped === undefined ? undefined : fields.get(escaped);
        if (escaped !== undefined && shape) found.set(escaped, () => orNull(shape, value[name]));
      }
      return new ObjectValue(type.name, found);
    },
  };
}

function stringShape(schema: JsonSchema): Shape {
  const { maxLength, format } = schema;
  switch (format) {
    case 'byte':
      return {
        type: types.bytes,
        maxSize: maxLength ?? maxRequestBytes - 2,
        minBytes: 2,
        read: (value) => Uint8Array.from(Buffer.from(String(value), 'base64')),
      };
    case 'duration':
      return {
        type: types.duration,
        maxSize: 32,
        minBytes: 3,
        read: (value) => parseDuration(String(value)) ?? bad(value),
      };
    case 'date':
      return {
        type: types.timestamp,
        maxSize: 12,
        minBytes: 12,
        read: (value) => parseTimestamp(`${String(value)}T00:00:00Z`) ?? bad(value),
      };
    case 'date-time':
      return {
        type: types.timestamp,
        maxSize: 32,
        minBytes: 21,
        read: (value) => parseTimestamp(String(value)) ?? bad(value),
      };
    default: {
      const longest = Math.max(0, ...(schema.enum ?? []).map((one) => (typeof one === 'string' ? one.length : 0)));
      const most = schema.enum && schema.enum.length > 0 ? longest : maxRequestBytes - 2;
      return {
        type: types.string,
        maxSize: maxLength === undefined ? most : maxLength * bytesOfCharacter,
        minBytes: 2,
        read: (value) => (typeof value === 'string' ? value : bad(value)),
      };
    }
  }
}

function orNull(shape: Shape, value: unknown): Value {
  return value === null ? null : shape.read(value);
}

function readInt(value: unknown): Value {
  if (typeof value === 'bigint') return value;
  return typeof value === 'number' && Number.isFinite(value) ? BigInt(Math.trunc(value)) : bad(value);
}

function readIntOrString(value: unknown): Value {
  return typeof value === 'string' ? value : readInt(value);
}

function bad(value: unknown): Value {
  return fail(`invalid data, got ${value === null ? 'null' : typeof value}`);
}
