import type { FieldSchema } from '../schema/object-schema.js';
import { type FieldSet, isEmpty, isMember, leaf, nodeOf } from './field-set.js';
import { fieldType, isNamedField, itemType } from './field-type.js';
import { fieldNameOf } from './path-element.js';

/**
 * Adds the parents of a set's members that are named fields: an owner of `spec.size`
 * needs a `spec`, though it does not own it. Keys of maps are not added.
 */
export function withNamedFields(type: FieldSchema | undefined, set: FieldSet): FieldSet {
  const result: Record<string, FieldSet> = {};
  for (const element in set) {
    if (element === '.') continue;
    const node = set[element] as FieldSet;
    if (isEmpty(node)) {
      result[element] = leaf;
      continue;
    }
    const name = fieldNameOf(element);
    const isNamed = type !== undefined && name !== undefined && isNamedField(type, name);
    const below = withNamedFields(insideOf(type, name, element), node);
    result[element] = nodeOf(isNamed || isMember(node), below) ?? leaf;
  }
  return result;
}

function insideOf(type: FieldSchema | undefined, name: string | undefined, element: string): FieldSchema | undefined {
  if (!type) return undefined;
  if (name !== undefined) return type.type === 'list' ? undefined : fieldType(type, name);
  return element.startsWith('k:') ? itemType(type) : undefined;
}
