import type { FieldSchema } from '../schema/object-schema.js';
import { type FieldSet, isEmpty, isMember, leaf, nodeOf } from './field-set.js';
import { isAtomicMap, itemType, keysOf } from './field-type.js';
import { fieldNameOf } from './path-element.js';

/**
 * Translates a set to today's schema. If a value became atomic after the set was
 * written, the owner of a part of it owns the whole value; nothing else changes.
 * Returns the set itself when it needs no translation.
 */
export function followSchema(type: FieldSchema, set: FieldSet): FieldSet {
  let followed: Record<string, FieldSet> | undefined;
  for (const element in set) {
    if (element === '.') continue;
    const node = set[element] as FieldSet;
    const inside = isEmpty(node) ? undefined : typeBelow(type, element);
    if (!inside) continue;
    const now = isAtomic(inside) ? leaf : followSchema(inside, node);
    if (now === node) continue;
    followed ??= { ...set };
    followed[element] = now === leaf ? leaf : (nodeOf(isMember(node), now) ?? leaf);
  }
  return followed ?? set;
}

function typeBelow(type: FieldSchema, element: string): FieldSchema | undefined {
  const name = fieldNameOf(element);
  if (name !== undefined) return type.field(name);
  return type.type === 'list' ? itemType(type) : undefined;
}

/** What is not described may hold anything, and is not judged, even where it is atomic now. */
function isAtomic(type: FieldSchema): boolean {
  if (type.undescribed) return false;
  if (type.type === 'list') return keysOf(type) === undefined;
  return (type.type === 'object' || type.type === 'map') && isAtomicMap(type);
}
