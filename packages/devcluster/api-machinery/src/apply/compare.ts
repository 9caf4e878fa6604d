import { equalJson } from '../json/json-value.js';
import type { FieldSchema } from '../schema/object-schema.js';
import { type FieldSet, leaf, nodeOf, union } from './field-set.js';
import {
  fieldType,
  isAtomicMap,
  itemType,
  keysOf,
  listElement,
  listIn,
  mapIn,
  type Shape,
  shapeOf,
  shapesOf,
} from './field-type.js';
import { fieldElement } from './path-element.js';

/** How one object differs from another; no field is in two of the sets. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

export type Drafts = { [Part in keyof Comparison]: Record<string, FieldSet> };

/**
 * What changed from `before` to `after`, two objects of a type. Undefined stands
 * for nothing at all: with it, objects on the way count as added or removed, too.
 *
 * @throws ShapeError for a list whose elements cannot be told apart
 */
export function compare(type: FieldSchema, before: unknown, after: unknown): Comparison {
  const drafts: Drafts = { added: {}, modified: {}, removed: {} };
  compareInside(type, before, after, drafts);
  return drafts;
}

/** So many places are looked at without a rest: all that nearly any object has. */
const mostAtOnce = 2_000;
let left = Number.POSITIVE_INFINITY;
const tooMany = new Error('too many places to be looked at without a rest');

/** What `compare` finds, unless too many places would have to be looked at. */
export function comparisonIfFew(type: FieldSchema, before: unknown, after: unknown): Comparison | undefined {
  left = mostAtOnce;
  try {
    return compare(type, before, after);
  } catch (error) {
    if (error === tooMany) return undefined;
    throw error;
  } finally {
    left = Number.POSITIVE_INFINITY;
  }
}

/** Marks in `drafts` how a place differs, unless too many places would have to be looked at; false then, and nothing is marked. */
export function compareIfFew(
  type: FieldSchema,
  element: string,
  before: unknown,
  after: unknown,
  drafts: Drafts,
): boolean {
  left = mostAtOnce;
  try {
    compareOne(type, element, before, after, drafts);
    return true;
  } catch (error) {
    if (error === tooMany) return false;
    throw error;
  } finally {
    left = Number.POSITIVE_INFINITY;
  }
}

/** Compares two values that are both there; true = they are a leaf that differs. */
function compareInside(type: FieldSchema, before: unknown, after: unknown, drafts: Drafts): boolean {
  let differs = false;
  for (const shape of shapesOf(type, before, after)) {
    const [old, now] = [partsOf(type, shape, before), partsOf(type, shape, after)];
    if (!old && !now) differs ||= !equalJson(before, after);
    else if (shape === 'list') compareLists(type, old as readonly unknown[], now as readonly unknown[], drafts);
    else compareMaps(type, old as Json | undefined, now as Json | undefined, drafts);
  }
  return differs;
}

export type Json = Readonly<Record<string, unknown>>;

/** What there is to look at inside a value; undefined for leaves: scalars, what is atomic, what is empty. */
export function partsOf(type: FieldSchema, shape: Shape, value: unknown): Json | readonly unknown[] | undefined {
  if (shape === 'scalar') return undefined;
  if (shape === 'list') return keysOf(type) ? listIn(value) : undefined;
  return isAtomicMap(type) ? undefined : mapIn(value);
}

function compareMaps(type: FieldSchema, before: Json = {}, after: Json = {}, drafts: Drafts): void {
  for (const name in before) {
    if (--left < 0) throw tooMany;
    const now = Object.hasOwn(after, name) ? after[name] : undefined;
    if (now !== before[name]) compareOne(fieldType(type, name), fieldElement(name), before[name], now, drafts);
  }
  for (const name in after) {
    if (!Object.hasOwn(before, name))
      mark(drafts.added, fieldElement(name), everything(fieldType(type, name), after[name]));
  }
}

function compareOne(type: FieldSchema, element: string, before: unknown, after: unknown, drafts: Drafts): void {
  if (before === after) return;
  if (before === undefined || after === undefined) {
    const [draft, value] = before === undefined ? [drafts.added, after] : [drafts.removed, before];
    mark(draft, element, everything(type, value));
    return;
  }
  const inside: Drafts = { added: {}, modified: {}, removed: {} };
  const differs = compareInside(type, before, after, inside);
  markInside(drafts, element, differs, inside);
}

export function markInside(drafts: Drafts, element: string, differs: boolean, inside: Drafts): void {
  for (const part of ['added', 'modified', 'removed'] as const) {
    const node = nodeOf(differs && part === 'modified', inside[part]);
    if (node) mark(drafts[part], element, node);
  }
}

export function mark(draft: Record<string, FieldSet>, element: string, node: FieldSet): void {
  const there = draft[element];
  draft[element] = there === undefined ? node : (union({ node: there }, { node }).node ?? node);
}

function compareLists(
  type: FieldSchema,
  before: readonly unknown[] = [],
  after: readonly unknown[] = [],
  drafts: Drafts,
): void {
  if (equalJson(before, after)) return;
  const items = itemType(type);
  const [olds, news] = [grouped(type, before), grouped(type, after)];
  for (const element of new Set([...olds.keys(), ...news.keys()])) {
    const [old = [], now = []] = [olds.get(element), news.get(element)];
    if (old.length <= 1 && now.length <= 1) compareOne(items, element, old[0], now[0], drafts);
    else compareRepeated(items, element, old, now, drafts);
  }
}

/** Elements of a list of which there are several, before or after. What was there more than once was owned as a whole. */
export function compareRepeated(
  items: FieldSchema,
  element: string,
  old: readonly unknown[],
  now: readonly unknown[],
  drafts: Drafts,
): void {
  if (old.length > 1 && now.length > 1) {
    if (!equalJson(old, now)) mark(drafts.modified, element, leaf);
  } else if (old.length > 1) {
    if (now.length > 0) mark(drafts.added, element, everything(items, now[0]));
    mark(drafts.removed, element, leaf);
  } else {
    if (old.length > 0) mark(drafts.removed, element, everything(items, old[0]));
    mark(drafts.added, element, leaf);
  }
}

function grouped(type: FieldSchema, list: readonly unknown[]): Groups {
  const groups: Groups = new Map();
  const keys = keysOf(type) ?? [];
  left -= list.length;
  if (left < 0) throw tooMany;
  for (const item of list) intoGroup(groups, listElement(type, keys, item), item);
  return groups;
}

/** The elements of a list that are the same one; with more than one in a group, they cannot be told apart. */
export type Groups = Map<string, unknown[]>;

export function intoGroup(groups: Groups, element: string, item: unknown): void {
  const group = groups.get(element);
  if (group) group.push(item);
  else groups.set(element, [item]);
}

/** A value with all that is in it, itself included. */
function everything(type: FieldSchema, value: unknown): FieldSet {
  if (--left < 0) throw tooMany;
  switch (shapeOf(type, value)) {
    case 'scalar':
      return leaf;
    case 'list':
      return keysOf(type) && listIn(value) ? everyElement(type, value as readonly unknown[]) : leaf;
    default:
      return !isAtomicMap(type) && mapIn(value) ? everyEntry(type, value as Json) : leaf;
  }
}

/** In the order of the wire, so that what a create owns needs no sorting. */
function everyEntry(type: FieldSchema, value: Json): FieldSet {
  const fields: Record<string, FieldSet> = { '.': leaf };
  for (const name of Object.keys(value).sort())
    fields[fieldElement(name)] = everything(fieldType(type, name), value[name]);
  return fields;
}

function everyElement(type: FieldSchema, list: readonly unknown[]): FieldSet {
  const elements: Record<string, FieldSet> = { '.': leaf };
  for (const [element, items] of grouped(type, list)) {
    elements[element] = items.length > 1 ? leaf : everything(itemType(type), items[0]);
  }
  return elements;
}
