import { setOwn } from '../json/json-value.js';
import type { FieldSchema } from '../schema/object-schema.js';
import { fieldType, isAtomicMap, itemType, keysOf, listElement, listIn, mapIn, shapesOf } from './field-type.js';

type Json = Readonly<Record<string, unknown>>;

/**
 * An object with a configuration laid over it. Nothing goes away by that: what
 * the configuration does not speak about stays, and lists whose elements can be
 * told apart keep those they had.
 *
 * @throws ShapeError for a list whose elements cannot be told apart
 */
export function merge(type: FieldSchema, live: unknown, config: unknown): unknown {
  if (config === undefined) return live;
  if (live === undefined) return config;
  let merged: unknown;
  for (const shape of shapesOf(type, live, config)) {
    merged = config;
    if (shape === 'map' && !isAtomicMap(type)) merged = mergeMaps(type, mapIn(live), mapIn(config)) ?? config;
    if (shape === 'list') {
      const keys = keysOf(type);
      if (keys) merged = mergeLists(type, keys, listIn(live), listIn(config)) ?? config;
    }
  }
  return merged;
}

/** Undefined when there is nothing in either. */
function mergeMaps(type: FieldSchema, live: Json | undefined, config: Json | undefined): Json | undefined {
  if (!live && !config) return undefined;
  const merged: Record<string, unknown> = {};
  const entry = (from: Json | undefined, name: string) => (from && Object.hasOwn(from, name) ? from[name] : undefined);
  for (const name of new Set([...Object.keys(live ?? {}), ...Object.keys(config ?? {})])) {
    setOwn(merged, name, merge(fieldType(type, name), entry(live, name), entry(config, name)));
  }
  return merged;
}

interface Item {
  readonly element: string;
  readonly value: unknown;
}

/**
 * The elements of both lists, each once. Those that only one list has keep their
 * place among their neighbours; those of both follow the order of the configuration.
 */
function mergeLists(
  type: FieldSchema,
  keys: readonly string[],
  live: readonly unknown[] = [],
  config: readonly unknown[] = [],
): unknown[] | undefined {
  if (live.length === 0 && config.length === 0) return undefined;
  const itemsOf = (list: readonly unknown[]): Item[] =>
    list.map((value) => ({ element: listElement(type, keys, value), value }));
  const [had, wanted] = [itemsOf(live), itemsOf(config)];
  const hadBefore = valuesOf(had);
  const isWanted = new Set(wanted.map(({ element }) => element));
  const shared = wanted.filter(({ element }) => hadBefore.has(element)).map(({ element }) => element);
  const merged: unknown[] = [];
  const done = new Set<string>();
  let next = 0;
  const take = ({ element, value }: Item) => {
    done.add(element);
    merged.push(merge(itemType(type), hadBefore.get(element), value));
    if (shared[next] === element) next++;
  };
  let [h, w] = [0, 0];
  while (h < had.length || w < wanted.length) {
    const [mine, theirs] = [had[h], wanted[w]];
    if (mine && theirs) {
      if (mine.element === theirs.element) {
        take(theirs);
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
      take(theirs);
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
