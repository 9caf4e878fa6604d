import { stringifyJson } from '@slipway/kube';
import type { Resumable } from '../event-loop/resumable.js';
import { isJsonObject, type JsonObject, setOwn } from './json-value.js';

/** Fields and elements handled between two yields. */
const betweenYields = 1_000;

/**
 * Copies the fields of an object, not what is in them, and yields. `{ ...object }` of an object with 90,000 fields takes
 * three times as long, and all at once.
 */
export function* copyingFields(object: Readonly<JsonObject>): Resumable<JsonObject> {
  const copy: JsonObject = {};
  let copied = 0;
  const keys = Object.keys(object);
  if (keys.length > betweenYields) yield;
  for (const key of keys) {
    setOwn(copy, key, object[key]);
    if (++copied % betweenYields === 0) yield;
  }
  return copy;
}

/** Makes a deep copy of a JSON value and yields. Fields without a value are left out. */
export function* copyingJson<T>(value: T): Resumable<T> {
  if (typeof value !== 'object' || value === null) return value;
  const copy = emptyLike(value);
  const waiting: { readonly from: object; readonly to: JsonObject }[] = [{ from: value, to: copy }];
  let copied = 0;
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const from = next.from as JsonObject;
    const keys = Object.keys(from);
    if (keys.length > betweenYields) yield;
    for (const key of keys) {
      if (++copied % betweenYields === 0) yield;
      const inner = from[key];
      if (typeof inner === 'object' && inner !== null) {
        const to = emptyLike(inner);
        setOwn(next.to, key, to);
        waiting.push({ from: inner, to });
      } else if (inner !== undefined || Array.isArray(from)) setOwn(next.to, key, inner);
    }
  }
  return copy as T;
}

function emptyLike(value: object): JsonObject {
  return (Array.isArray(value) ? [] : {}) as JsonObject;
}

/** As `equalJson`, and yields. */
export function* comparingJson(a: unknown, b: unknown): Resumable<boolean> {
  const waiting: (readonly [unknown, unknown])[] = [[a, b]];
  let compared = 0;
  for (let pair = waiting.pop(); pair; pair = waiting.pop()) {
    const [one, other] = pair;
    if (one === other) continue;
    if (Array.isArray(one)) {
      if (!Array.isArray(other) || one.length !== other.length) return false;
      for (const [index, item] of one.entries()) {
        if (++compared % betweenYields === 0) yield;
        if (item === other[index]) continue;
        if (!mayBeEqual(item, other[index])) return false;
        waiting.push([item, other[index]]);
      }
      continue;
    }
    if (!isJsonObject(one) || !isJsonObject(other)) return false;
    const keys = Object.keys(one);
    if (keys.length > betweenYields) yield;
    if (Object.keys(other).length !== keys.length) return false;
    for (const key of keys) {
      if (++compared % betweenYields === 0) yield;
      if (!Object.hasOwn(other, key)) return false;
      const [mine, theirs] = [one[key], other[key]];
      if (mine === theirs) continue;
      if (!mayBeEqual(mine, theirs)) return false;
      waiting.push([mine, theirs]);
    }
  }
  return true;
}

/** Whether two values that are not identical can still hold the same. */
function mayBeEqual(a: unknown, b: unknown): boolean {
  return typeof a === 'object' && typeof b === 'object' && a !== null && b !== null;
}

/** Strings sorted at once: a few milliseconds of work. */
const sortedAtOnce = 4_096;

/** Returns the strings as `sort` orders them, and yields. */
export function* sortingStrings(
  strings: readonly string[],
  compare?: (a: string, b: string) => number,
): Resumable<string[]> {
  let runs: string[][] = [];
  for (let at = 0; at < strings.length; at += sortedAtOnce) {
    if (at > 0) yield;
    runs.push(strings.slice(at, at + sortedAtOnce).sort(compare));
  }
  while (runs.length > 1) {
    const merged: string[][] = [];
    for (let at = 0; at < runs.length; at += 2) {
      merged.push(yield* mergingRuns(runs[at] as string[], runs[at + 1] ?? [], compare ?? byCodeUnits));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

function* mergingRuns(
  a: readonly string[],
  b: readonly string[],
  compare: (a: string, b: string) => number,
): Resumable<string[]> {
  const merged: string[] = [];
  let [fromA, fromB] = [0, 0];
  while (fromA < a.length || fromB < b.length) {
    const [one, other] = [a[fromA], b[fromB]];
    const isFirst = other === undefined || (one !== undefined && compare(one, other) <= 0);
    merged.push((isFirst ? one : other) as string);
    if (isFirst) fromA++;
    else fromB++;
    if (merged.length % sortedAtOnce === 0) yield;
  }
  return merged;
}

function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Children that are written at once. */
const chunk = 512;
/** Objects and lists of fewer children are looked into: one of them may be large. */
const few = 16;
/** As deep as the fields of a map lie in `managedFields`; what is below is written at once. */
const deep = 6;

/** Returns the text that `stringifyJson` makes of an object or list, and yields. */
export function* writingJson(value: object, depth = 0): Resumable<string> {
  if (depth >= deep) return stringifyJson(value);
  const isList = Array.isArray(value);
  const from = value as JsonObject;
  const keys = Object.keys(value);
  if (keys.length > chunk) yield;
  const parts: string[] = [];
  for (let at = 0; at < keys.length; at += chunk) {
    const part = keys.slice(at, at + chunk);
    if (keys.length > few) {
      const text = stringifyJson(isList ? value.slice(at, at + chunk) : picked(from, part)).slice(1, -1);
      if (text !== '') parts.push(text);
      yield;
      continue;
    }
    for (const key of part) {
      const child = from[key] ?? null;
      if (from[key] === undefined && !isList) continue;
      const text =
        typeof child === 'object' && child !== null ? yield* writingJson(child, depth + 1) : stringifyJson(child);
      parts.push(isList ? text : `${stringifyJson(key)}:${text}`);
    }
  }
  return isList ? `[${parts.join(',')}]` : `{${parts.join(',')}}`;
}

function picked(from: JsonObject, keys: readonly string[]): JsonObject {
  const some: JsonObject = {};
  for (const key of keys) setOwn(some, key, from[key]);
  return some;
}
