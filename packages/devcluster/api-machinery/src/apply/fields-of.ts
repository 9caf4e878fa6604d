import { type Resumable, runToCompletion } from '../event-loop/resumable.js';
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
  return runToCompletion(findingFields(type, value));
}

/** As `fieldsOf`, and yields. */
export function* findingFields(type: FieldSchema, value: unknown): Resumable<FieldSet> {
  return (yield* spokenOf(type, value)) ?? leaf;
}

/** Fields and elements between two yields. */
const betweenYields = 500;

/** The node of a value; undefined for an absent value and an empty list. */
function* spokenOf(type: FieldSchema, value: unknown): Resumable<FieldSet | undefined> {
  switch (shapeOf(type, value)) {
    case 'scalar':
      return leaf;
    case 'list': {
      const keys = keysOf(type);
      if (!keys) return leaf;
      return Array.isArray(value) ? childrenOrNothing(yield* elementsOf(type, keys, value)) : undefined;
    }
    default:
      if (isAtomicMap(type)) return leaf;
      return isJsonObject(value) ? childrenOrNothing(yield* entriesOf(type, value)) : undefined;
  }
}

function childrenOrNothing(children: FieldSet): FieldSet | undefined {
  return isEmpty(children) ? undefined : children;
}

function* entriesOf(type: FieldSchema, value: Readonly<Record<string, unknown>>): Resumable<FieldSet> {
  const fields: Record<string, FieldSet> = {};
  let found = 0;
  for (const name of Object.keys(value)) {
    if (++found % betweenYields === 0) yield;
    const content = value[name];
    const below = yield* spokenOf(fieldType(type, name), content);
    const isNothing = content === null || (isJsonObject(content) && Object.keys(content).length === 0);
    const node = isNothing || !isNamedField(type, name) ? nodeOf(true, below ?? leaf) : below;
    if (node) fields[fieldElement(name)] = node;
  }
  return fields;
}

function* elementsOf(type: FieldSchema, keys: readonly string[], items: readonly unknown[]): Resumable<FieldSet> {
  const elements: Record<string, FieldSet> = {};
  const again = new Set<string>();
  for (const [index, item] of items.entries()) {
    if ((index + 1) % betweenYields === 0) yield;
    const element = listElement(type, keys, item);
    if (again.has(element)) continue;
    if (elements[element] === undefined) {
      elements[element] = nodeOf(true, (yield* spokenOf(itemType(type), item)) ?? leaf) ?? leaf;
    } else {
      // Of elements that are there more than once, only the fact is owned.
      again.add(element);
      elements[element] = leaf;
    }
  }
  return elements;
}
