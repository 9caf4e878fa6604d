import { isJsonObject, setOwn } from '../json/json-value.js';
import type { FieldSchema } from '../schema/object-schema.js';
import { type FieldSet, isEmpty, isMember } from './field-set.js';
import { fieldType, isAtomicMap, itemType, keysOf, listElement, shapeOf } from './field-type.js';
import { fieldElement } from './path-element.js';

/**
 * An object without the fields of a set. What held nothing else is null
 * afterwards: the place of a field that is gone is not a field that was never there.
 */
export function removeFields(type: FieldSchema, value: unknown, fields: FieldSet): unknown {
  if (isEmpty(fields)) return value;
  switch (shapeOf(type, value)) {
    case 'scalar':
      return value;
    case 'list': {
      const keys = keysOf(type);
      return keys && Array.isArray(value) ? removeElements(type, keys, value, fields) : null;
    }
    default:
      return !isAtomicMap(type) && isJsonObject(value) ? removeEntries(type, value, fields) : null;
  }
}

function removeEntries(type: FieldSchema, value: Readonly<Record<string, unknown>>, fields: FieldSet): unknown {
  const kept: Record<string, unknown> = {};
  let isAny = false;
  for (const name of Object.keys(value)) {
    const node = fields[fieldElement(name)];
    if (isMember(node)) continue;
    isAny = true;
    setOwn(kept, name, node === undefined ? value[name] : removeFields(fieldType(type, name), value[name], node));
  }
  return isAny ? kept : null;
}

function removeElements(
  type: FieldSchema,
  keys: readonly string[],
  list: readonly unknown[],
  fields: FieldSet,
): unknown {
  const kept: unknown[] = [];
  for (const item of list) {
    const node = fields[listElement(type, keys, item)];
    if (isMember(node)) continue;
    const left = node === undefined ? item : removeFields(itemType(type), item, node);
    // Without its keys an element can no longer be told apart from others.
    if (left !== null || item === null) kept.push(left);
  }
  return kept.length > 0 ? kept : null;
}
