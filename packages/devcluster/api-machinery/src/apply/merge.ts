import { type Resumable, runToCompletion } from '../event-loop/resumable.js';
import { isJsonObject, setOwn } from '../json/json-value.js';
import type { FieldSchema } from '../schema/object-schema.js';
import { fieldType, isAtomicMap, itemType, keysOf, listElement, listIn, shapesOf } from './field-type.js';

type Json = Readonly<Record<string, unknown>>;

/**
 * An object with a configuration laid over it. Nothing goes away by that: what
 * the configuration does not speak about stays, and lists whose elements can be
 * told apart keep those they had.
 *
 * @throws ShapeError for a list whose elements cannot be told apart
 */
export function merge(type: FieldSchema, live: unknown, config: unknown): unknown {
  return runToCompletion(merging(type, live, config));
}

/** As `merge`, and yields. */
export function* merging(type: FieldSchema, live: unknown, config: unknown): Resumable<unknown> {
  if (config === undefined) return live;
  if (live === undefined) return config;
  let merged: unknown;
  for (const shape of shapesOf(type, live, config)) {
    merged = config;
    if (shape === 'map' && !isAtomicMap(type)) merged = (yield* mergeMaps(type, live, config)) ?? config;
    if (shape === 'list') {
      const keys = keysOf(type);
      if (keys) merged = (yield* mergeLists(type, keys, listIn(live), listIn(config))) ?? config;
    }
  }
  return merged;
}

/** Fields and elements merged between two yields. */
const betweenYields = 500;

/** Undefined when there is nothing in either. */
function* mergeMaps(type: FieldSchema, live: unknown, config: unknown): Resumable<Json | undefined> {
  const [had, wanted] = [isJsonObject(live) ? live : {}, isJsonObject(config) ? config : {}];
  const merged: Record<string, unknown> = {};
  let count = 0;
  for (const name of Object.keys(had)) {
    if (++count % betweenYields === 0) yield;
    // Nothing is laid over most fields of a large map.
    const value = Object.hasOwn(wanted, name)
      ? yield* merging(fieldType(type, name), had[name], wanted[name])
      : had[name];
    setOwn(merged, name, value);
  }
  for (const name of Object.keys(wanted)) {
    if (Object.hasOwn(had, name)) continue;
    if (++count % betweenYields === 0) yield;
    setOwn(merged, name, wanted[name]);
  }
  return count === 0 ? undefined : merged;
}

interface Item {
  readonly element: string;
  readonly value: unknown;
}

/**
 * The elements of both lists, each once. Those that only one list has keep their
 * place among their neighbours; those of both follow the order of the configuration.
 */
function* mergeLists(
  type: FieldSchema,
  keys: readonly string[],
  live: readonly unknown[] = [],
  config: readonly unknown[] = [],
): Resumable<unknown[] | undefined> {
  if (live.length === 0 && config.length === 0) return undefined;
  const itemsOf = function* (list: readonly unknown[]): Resumable<Item[]> {
    const items: Item[] = [];
    for (const value of list) {
      items.push({ element: listElement(type, keys, value), value });
      if (items.length % betweenYields === 0) yield;
    }
    return items;
  };
  const [had, wanted] = [yield* itemsOf(live), yield* itemsOf(config)];
  const hadBefore = valuesOf(had);
  const isWanted = new Set(wanted.map(({ element }) => element));
  const shared = wanted.filter(({ element }) => hadBefore.has(element)).map(({ element }) => element);
  const merged: unknown[] = [];
  const done = new Set<string>();
  let next = 0;
  const take = function* ({ element, value }: Item) {
    done.add(element);
    merged.push(yield* merging(itemType(type), hadBefore.get(element), value));
    if (shared[next] === element) next++;
    if (done.size % betweenYields === 0) yield;
  };
  let [h, w] = [0, 0];
  while (h < had.length || w < wanted.length) {
    const [mine, theirs] = [had[h], wanted[w]];
    if (mine && theirs) {
      if (mine.element === theirs.element) {
        yield* take(theirs);
        h++;
        w++;
        continue;
      }
      // Wanted as well, and further down: it comes when its turn is there.
      if (isWanted.has(mine.element) && next < shared.length && shared[next] !== mine.element) {
        h++;
        continue;
      }
    }
    if (mine && !isWanted.has(mine.element)) {
      merged.push(mine.value);
      h++;
      continue;
    }
    if (mine && done.has(mine.element)) h++;
    if (theirs) {
      yield* take(theirs);
      w++;
    }
  }
  return merged;
}

/** Duplicate elements are not merged: it is ambiguous which one is meant. */
function valuesOf(items: readonly Item[]): Map<string, unknown> {
  const values = new Map<string, unknown>();
  for (const { element, value } of items) values.set(element, values.has(element) ? null : value);
  return values;
}
