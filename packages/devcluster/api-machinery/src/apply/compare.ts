import { type Resumable, runToCompletion } from '../event-loop/resumable.js';
import { sortingStrings } from '../json/json-in-slices.js';
import { equalJson, isJsonObject } from '../json/json-value.js';
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

/**
 * Compares two objects of a type without yielding.
 *
 * @throws ShapeError for a list whose elements cannot be told apart
 */
export function compare(type: FieldSchema, before: unknown, after: unknown): Comparison {
  return runToCompletion(comparing(type, before, after));
}

/**
 * Compares two objects of a type. `before` may be undefined: then the objects on the way to a field count as
 * added, too. Yields after each field beyond the first 2,000, so that most objects are compared without yielding.
 *
 * @throws ShapeError for a list whose elements cannot be told apart
 */
export function* comparing(type: FieldSchema, before: unknown, after: unknown): Resumable<Comparison> {
  const comparer = new Comparer();
  const drafts = noDrafts();
  yield* comparer.inside(type, before, after, drafts);
  return drafts;
}

/** Fields compared before the first yield. */
const maxWithoutYield = 2_000;

type Json = Readonly<Record<string, unknown>>;
type Drafts = { [Part in keyof Comparison]: Record<string, FieldSet> };
/** The elements of a list by path element; those in a group of several cannot be told apart. */
type Groups = Map<string, unknown[]>;

const noDrafts = (): Drafts => ({ added: {}, modified: {}, removed: {} });

/** One comparison, which counts its fields. Leaves are compared without a generator, which costs more than they do. */
class Comparer {
  #left = maxWithoutYield;

  /** Compares two values; returns whether they are a leaf that differs. */
  *inside(type: FieldSchema, before: unknown, after: unknown, drafts: Drafts): Resumable<boolean> {
    let differs = false;
    for (const shape of shapesOf(type, before, after)) {
      const [old, now] = partsOfBoth(type, shape, before, after);
      if (!old && !now) differs ||= !equalJson(before, after);
      else if (shape === 'list') yield* this.#lists(type, old as unknown[], now as unknown[], drafts);
      else yield* this.#maps(type, old as Json | undefined, now as Json | undefined, drafts);
    }
    return differs;
  }

  *#maps(type: FieldSchema, before: Json = {}, after: Json = {}, drafts: Drafts): Resumable<void> {
    for (const name in before) {
      if (--this.#left < 0) yield;
      const [old, now] = [before[name], Object.hasOwn(after, name) ? after[name] : undefined];
      if (now === old) continue;
      const field = fieldType(type, name);
      if (field.type === 'scalar' && old !== undefined && now !== undefined) {
        if (!equalJson(old, now)) mark(drafts.modified, fieldElement(name), leaf);
      } else yield* this.#one(field, fieldElement(name), old, now, drafts);
    }
    for (const name in after) {
      if (Object.hasOwn(before, name)) continue;
      if (--this.#left < 0) yield;
      const field = fieldType(type, name);
      mark(drafts.added, fieldElement(name), yield* this.#everything(field, after[name]));
    }
  }

  *#lists(
    type: FieldSchema,
    before: readonly unknown[] = [],
    after: readonly unknown[] = [],
    drafts: Drafts,
  ): Resumable<void> {
    if (equalJson(before, after)) return;
    const items = itemType(type);
    const [olds, news] = [yield* this.#grouped(type, before), yield* this.#grouped(type, after)];
    for (const element of new Set([...olds.keys(), ...news.keys()])) {
      const [old = [], now = []] = [olds.get(element), news.get(element)];
      if (old.length <= 1 && now.length <= 1) yield* this.#one(items, element, old[0], now[0], drafts);
      else yield* this.#repeated(items, element, old, now, drafts);
    }
  }

  *#one(type: FieldSchema, element: string, before: unknown, after: unknown, drafts: Drafts): Resumable<void> {
    if (before === after) return;
    if (before === undefined) mark(drafts.added, element, yield* this.#everything(type, after));
    else if (after === undefined) mark(drafts.removed, element, yield* this.#everything(type, before));
    else {
      const inside = noDrafts();
      const differs = yield* this.inside(type, before, after, inside);
      for (const part of ['added', 'modified', 'removed'] as const) {
        const node = nodeOf(differs && part === 'modified', inside[part]);
        if (node) mark(drafts[part], element, node);
      }
    }
  }

  /** Compares elements that a list has several times. Those that it had several times were owned as a whole. */
  *#repeated(
    items: FieldSchema,
    element: string,
    old: readonly unknown[],
    now: readonly unknown[],
    drafts: Drafts,
  ): Resumable<void> {
    if (old.length > 1 && now.length > 1) {
      if (!equalJson(old, now)) mark(drafts.modified, element, leaf);
    } else if (old.length > 1) {
      if (now.length > 0) mark(drafts.added, element, yield* this.#everything(items, now[0]));
      mark(drafts.removed, element, leaf);
    } else {
      if (old.length > 0) mark(drafts.removed, element, yield* this.#everything(items, old[0]));
      mark(drafts.added, element, leaf);
    }
  }

  *#grouped(type: FieldSchema, list: readonly unknown[]): Resumable<Groups> {
    const groups: Groups = new Map();
    const keys = keysOf(type) ?? [];
    for (const item of list) {
      if (--this.#left < 0) yield;
      const element = listElement(type, keys, item);
      const group = groups.get(element);
      if (group) group.push(item);
      else groups.set(element, [item]);
    }
    return groups;
  }

  /** The set of a value and everything in it. */
  *#everything(type: FieldSchema, value: unknown): Resumable<FieldSet> {
    const parts = partsOf(type, shapeOf(type, value), value);
    if (!parts) return leaf;
    const inside: Record<string, FieldSet> = { '.': leaf };
    if (Array.isArray(parts)) {
      const items = itemType(type);
      for (const [element, group] of yield* this.#grouped(type, parts)) {
        inside[element] = group.length > 1 ? leaf : yield* this.#everything(items, group[0]);
      }
      return inside;
    }
    const names = Object.keys(parts);
    if (names.length === 0) return leaf;
    if (names.length > maxWithoutYield) yield;
    // In the order of the wire, so that what a create owns needs no sorting.
    for (const name of yield* sortingStrings(names)) {
      if (--this.#left < 0) yield;
      const [field, part] = [fieldType(type, name), (parts as Json)[name]];
      inside[fieldElement(name)] = typeof part === 'object' ? yield* this.#everything(field, part) : leaf;
    }
    return inside;
  }
}

/** What is compared inside two values; undefined for leaves: scalars, atomic values, and what is empty beside them. */
function partsOfBoth(type: FieldSchema, shape: Shape, before: unknown, after: unknown) {
  const [old, now] = [partsOf(type, shape, before), partsOf(type, shape, after)];
  if (old && now) return [old, now] as const;
  // Only here it matters whether a map is empty, which takes as long to find out as to list all its keys.
  return [old && (listIn(old) ?? mapIn(old)), now && (listIn(now) ?? mapIn(now))] as const;
}

/** What is compared inside a value, which may be a map without keys; undefined for scalars, atomic values and empty lists. */
function partsOf(type: FieldSchema, shape: Shape, value: unknown): Json | readonly unknown[] | undefined {
  if (shape === 'scalar') return undefined;
  if (shape === 'list') return keysOf(type) ? listIn(value) : undefined;
  return !isAtomicMap(type) && isJsonObject(value) ? value : undefined;
}

function mark(draft: Record<string, FieldSet>, element: string, node: FieldSet): void {
  const there = draft[element];
  draft[element] = there === undefined ? node : (union({ node: there }, { node }).node ?? node);
}
