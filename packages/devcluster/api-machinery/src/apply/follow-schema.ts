import type { Resumable } from '../event-loop/resumable.js';
import type { FieldSchema } from '../schema/object-schema.js';
import { type FieldSet, isMember, leaf, nodeOf } from './field-set.js';
import { isAtomicMap, itemType, keysOf } from './field-type.js';
import { fieldNameOf } from './path-element.js';

/**
 * Translates a set to today's schema. If a value became atomic after the set was
 * written, the owner of a part of it owns the whole value; nothing else changes.
 * Returns the set itself when it needs no translation. Yields.
 *
 * @param elements those of `set`; of a large one, every list of them takes tens of milliseconds
 */
export function* followingSchema(
  type: FieldSchema,
  set: FieldSet,
  elements: readonly string[] = Object.keys(set),
): Resumable<FieldSet> {
  let followed: Record<string, FieldSet> | undefined;
  let seen = 0;
  for (const element of elements) {
    if (++seen % betweenYields === 0) yield;
    const node = set[element] as FieldSet;
    const below = element === '.' ? [] : Object.keys(node);
    const isLeaf = below.length === 0 || (below.length === 1 && '.' in node);
    const inside = isLeaf ? undefined : typeBelow(type, element);
    if (!inside) continue;
    const now = isAtomic(inside) ? leaf : yield* followingSchema(inside, node, below);
    if (now === node) continue;
    followed ??= { ...set };
    followed[element] = now === leaf ? leaf : (nodeOf(isMember(node), now) ?? leaf);
  }
  return followed ?? set;
}

/** Elements of a set between two yields. */
const betweenYields = 1_000;

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
