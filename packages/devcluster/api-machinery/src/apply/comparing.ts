import type { Work } from '../event-loop/work.js';
import { equalJson } from '../json/json-value.js';
import type { FieldSchema } from '../schema/object-schema.js';
import {
  type Comparison,
  compareIfFew,
  compareRepeated,
  type Drafts,
  type Groups,
  intoGroup,
  type Json,
  mark,
  markInside,
  partsOf,
} from './compare.js';
import { type FieldSet, leaf } from './field-set.js';
import { fieldType, itemType, keysOf, listElement, shapeOf, shapesOf } from './field-type.js';
import { fieldElement } from './path-element.js';

/**
 * What `compare` finds of objects with very many places, with rests. Whatever in them has few is compared at once.
 *
 * @throws ShapeError for a list whose elements cannot be told apart
 */
export function* comparing(type: FieldSchema, before: unknown, after: unknown): Work<Comparison> {
  const drafts = noDrafts();
  yield* comparingInside(type, before, after, drafts);
  return drafts;
}

const noDrafts = (): Drafts => ({ added: {}, modified: {}, removed: {} });

function* comparingInside(type: FieldSchema, before: unknown, after: unknown, drafts: Drafts): Work<boolean> {
  let differs = false;
  for (const shape of shapesOf(type, before, after)) {
    const [old, now] = [partsOf(type, shape, before), partsOf(type, shape, after)];
    if (!old && !now) differs ||= !equalJson(before, after);
    else if (shape === 'list')
      yield* comparingLists(type, old as unknown[] | undefined, now as unknown[] | undefined, drafts);
    else yield* comparingMaps(type, old as Json | undefined, now as Json | undefined, drafts);
  }
  return differs;
}

function* comparingMaps(type: FieldSchema, before: Json = {}, after: Json = {}, drafts: Drafts): Work<void> {
  for (const name in before) {
    const now = Object.hasOwn(after, name) ? after[name] : undefined;
    if (now === before[name]) yield;
    else yield* comparingOne(fieldType(type, name), fieldElement(name), before[name], now, drafts);
  }
  for (const name in after) {
    if (Object.hasOwn(before, name)) continue;
    yield* comparingOne(fieldType(type, name), fieldElement(name), undefined, after[name], drafts);
  }
}

function* comparingOne(
  type: FieldSchema,
  element: string,
  before: unknown,
  after: unknown,
  drafts: Drafts,
): Work<void> {
  const isDone = compareIfFew(type, element, before, after, drafts);
  yield;
  if (isDone) return;
  if (before === undefined || after === undefined) {
    const [draft, value] = before === undefined ? [drafts.added, after] : [drafts.removed, before];
    mark(draft, element, yield* everythingIn(type, value));
    return;
  }
  const inside = noDrafts();
  const differs = yield* comparingInside(type, before, after, inside);
  markInside(drafts, element, differs, inside);
}

function* comparingLists(
  type: FieldSchema,
  before: readonly unknown[] = [],
  after: readonly unknown[] = [],
  drafts: Drafts,
): Work<void> {
  if (equalJson(before, after)) return;
  const items = itemType(type);
  const [olds, news] = [yield* grouping(type, before), yield* grouping(type, after)];
  for (const element of new Set([...olds.keys(), ...news.keys()])) {
    const [old = [], now = []] = [olds.get(element), news.get(element)];
    if (old.length <= 1 && now.length <= 1) yield* comparingOne(items, element, old[0], now[0], drafts);
    else compareRepeated(items, element, old, now, drafts);
  }
}

function* grouping(type: FieldSchema, list: readonly unknown[]): Work<Groups> {
  const groups: Groups = new Map();
  const keys = keysOf(type) ?? [];
  for (const item of list) {
    intoGroup(groups, listElement(type, keys, item), item);
    yield;
  }
  return groups;
}

/** A value with all that is in it, in the order of the wire where it is a map. */
function* everythingIn(type: FieldSchema, value: unknown): Work<FieldSet> {
  const parts = partsOf(type, shapeOf(type, value), value);
  if (!parts) return leaf;
  const inside: Record<string, FieldSet> = { '.': leaf };
  const drafts: Drafts = { ...noDrafts(), added: inside };
  if (Array.isArray(parts)) {
    for (const [element, items] of yield* grouping(type, parts)) {
      if (items.length > 1) inside[element] = leaf;
      else yield* comparingOne(itemType(type), element, undefined, items[0], drafts);
    }
    return inside;
  }
  for (const name of Object.keys(parts).sort()) {
    yield* comparingOne(fieldType(type, name), fieldElement(name), undefined, (parts as Json)[name], drafts);
  }
  return inside;
}
