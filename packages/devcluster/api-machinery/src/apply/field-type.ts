import { isJsonObject, own } from '../json/json-value.js';
import type { FieldSchema } from '../schema/object-schema.js';
import { keyElement, valueElement } from './path-element.js';
import { ShapeError } from './shape-error.js';

/** The type of a value without a schema: objects merge field by field, lists are replaced. */
export const deduced: FieldSchema = { type: 'any', field: () => deduced };

export type Shape = 'map' | 'list' | 'scalar';

/** Returns the shape by which a value of a type is merged. A null takes the shape of the value beside it. */
export function shapeOf(type: FieldSchema, value: unknown): Shape {
  switch (type.type) {
    case 'object':
    case 'map':
      return 'map';
    case 'list':
      return 'list';
    case 'scalar':
      return 'scalar';
    default:
      if (Array.isArray(value)) return 'list';
      return value === null || value === undefined || isJsonObject(value) ? 'map' : 'scalar';
  }
}

/** The shapes in which two values of a type must be compared: more than one only where any shape is allowed. */
export function shapesOf(type: FieldSchema, a: unknown, b: unknown): readonly Shape[] {
  const [first, second] = [shapeOf(type, a), shapeOf(type, b)];
  return first === second ? [first] : [first, second];
}

export function isAtomicMap(type: FieldSchema): boolean {
  return type.mapType === 'atomic';
}

/** The type of a field or of a value of a map. */
export function fieldType(type: FieldSchema, name: string): FieldSchema {
  return type.field(name) ?? deduced;
}

/** Whether a type has the field by name, rather than as a key that could be any other. */
export function isNamedField(type: FieldSchema, name: string): boolean {
  return type.type === 'object' && (type.declares ? type.declares(name) : type.field(name) !== undefined);
}

/** Returns the keys that identify the elements of a list; empty = by value; undefined = the list is atomic. */
export function keysOf(type: FieldSchema): readonly string[] | undefined {
  if (type.type !== 'list' || type.listType === 'atomic') return undefined;
  if (type.listType === 'map') return type.listMapKeys ?? [];
  if (type.listType === 'set') return [];
  if (!type.patchStrategy?.includes('merge')) return undefined;
  return type.patchMergeKey === undefined ? [] : [type.patchMergeKey];
}

export function itemType(type: FieldSchema): FieldSchema {
  return type.items ?? deduced;
}

/**
 * The path element of a list's element.
 * @param keys as `keysOf` gives them
 * @throws ShapeError
 */
export function listElement(type: FieldSchema, keys: readonly string[], item: unknown): string {
  if (keys.length === 0) return scalarElement(item);
  if (item === null) throw new ShapeError('associative list with keys may not have a null element');
  if (!isJsonObject(item)) throw new ShapeError('associative list with keys may not have non-map elements');
  const given: [string, unknown][] = [];
  for (const key of keys) {
    const value = Object.hasOwn(item, key) ? own(item, key) : type.items?.field(key)?.default;
    if (value !== undefined) given.push([key, value]);
  }
  if (given.length > 0) return keyElement(given);
  const names = keys.map((key) => JSON.stringify(key)).join(' ');
  throw new ShapeError(
    `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
  );
}

function scalarElement(item: unknown): string {
  if (item === null) throw new ShapeError("associative list without keys has an element that's an explicit null");
  if (Array.isArray(item)) throw new ShapeError('not supported: associative list with lists as elements');
  if (isJsonObject(item)) throw new ShapeError("associative list without keys has an element that's a map type");
  return valueElement(item);
}

/** A map or list with nothing in it, or a value that is none. */
export function mapIn(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return isJsonObject(value) && Object.keys(value).length > 0 ? value : undefined;
}

export function listIn(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) && value.length > 0 ? value : undefined;
}
