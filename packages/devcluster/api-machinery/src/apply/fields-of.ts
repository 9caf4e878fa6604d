import { isJsonObject } from '../json/json-value.js';
import type { FieldSchema } from '../schema/object-schema.js';
import { type FieldSet, isEmpty, leaf, nodeOf } from './field-set.js';
import { fieldType, isAtomicMap, isNamedField, itemType, keysOf, listElement, shapeOf } from './field-type.js';
import { fieldElement } from './path-element.js';

/**
 * The fields that a configuration speaks about: its leaves, the elements of its
 * lists, and the keys of its maps. Objects on the way are not among them.
 *
 * @throws ShapeError for a list whose elements cannot be told apart
 */
export function fieldsOf(type: FieldSchema, value: unknown): FieldSet {
  return spokenOf(type, value) ?? leaf;
}

/** The node of a value; undefined for an absent value and an empty list. */
function spokenOf(type: FieldSchema, value: unknown): FieldSet | undefined {
  switch (shapeOf(type, value)) {
    case 'scalar':
      return leaf;
    case 'list': {
      const keys = keysOf(type);
      if (!keys) return leaf;
      return Array.isArray(value) ? childrenOrNothing(elementsOf(type, keys, value)) : undefined;
    }
    default:
      if (isAtomicMap(type)) return leaf;
      return isJsonObject(value) ? childrenOrNothing(entriesOf(type, value)) : undefined;
  }
}

function childrenOrNothing(children: FieldSet): FieldSet | undefined {
  return isEmpty(children) ? undefined : children;
}

function entriesOf(type: FieldSchema, value: Readonly<Record<string, unknown>>): FieldSet {
  const fields: Record<string, FieldSet> = {};
  for (const name of Object.keys(value)) {
    const content = value[name];
    const below = spokenOf(fieldType(type, name), content);
    const isNothing = content === null || (isJsonObject(content) && Object.keys(content).length === 0);
    const node = isNothing || !isNamedField(type, name) ? nodeOf(true, below ?? leaf) : below;
    if (node) fields[fieldElement(name)] = node;
  }
  return fields;
}

function elementsOf(type: FieldSchema, keys: readonly string[], items: readonly unknown[]): FieldSet {
  const elements: Record<string, FieldSet> = {};
  const again = new Set<string>();
  for (const item of items) {
    const element = listElement(type, keys, item);
    if (again.has(element)) continue;
    if (elements[element] === undefined) {
      elements[element] = nodeOf(true, spokenOf(itemType(type), item) ?? leaf) ?? leaf;
    } else {
      // Of elements that are there more than once, only the fact is owned.
      again.add(element);
      elements[element] = leaf;
    }
  }
  return elements;
}
