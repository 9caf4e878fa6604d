import { type Resumable, runToCompletion } from '@slipway/api-machinery/event-loop/resumable';
import { setOwn } from '@slipway/api-machinery/json/json-value';

/** Characters that what was copied so far, ever, has in JSON, escapes left out. */
let copied = 0;

/** A deep copy of a JSON value, so that what is frozen or shared can be changed. Keeps `undefined` out. */
export function copyJson<T>(value: T): T {
  if (typeof value === 'string') copied += value.length + quotes;
  if (typeof value !== 'object' || value === null) return value;
  copied += brackets;
  if (Array.isArray(value)) return value.map(copyJson) as T;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const inner = (value as Record<string, unknown>)[key];
    if (inner === undefined) continue;
    copied += key.length + quotes;
    setOwn(copy, key, copyJson(inner));
  }
  return copy as T;
}

/** With the comma or colon that follows. */
const quotes = 3;
const brackets = 3;

/** Lengths of copied values as JSON, only of long ones. */
const lengths = new WeakMap<object, number>();
/** The length of shorter copies is not recorded. */
export const shortestCounted = 64 * 1024;

/** A copy of the value that came as a body. How long its text would be is known from then on, if it is long. */
export function copyBody({ value }: { readonly value: unknown }): unknown {
  const before = copied;
  const copy = copyJson(value);
  if (copied - before > shortestCounted) lengths.set(value as object, copied - before);
  return copy;
}

/** About how many characters the text of a value has that was copied as a body; undefined for few. */
export function lengthOfCopied(value: unknown): number | undefined {
  return typeof value === 'object' && value !== null ? lengths.get(value) : undefined;
}

/** Fields that are copied between two rests. */
const betweenRests = 1_000;

/** A deep copy whose objects have their keys in order. What is frozen has them so already, and is shared. */
export function sortedCopy<T extends object>(value: T): T {
  return runToCompletion(sortingCopy(value));
}

/** As `sortedCopy`, with rests. */
export function* sortingCopy<T extends object>(value: T): Resumable<T> {
  if (Object.isFrozen(value)) return value;
  const copy = emptyLike(value);
  const waiting: { readonly from: object; readonly to: Record<string, unknown> }[] = [{ from: value, to: copy }];
  let looks = 0;
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const from = next.from as Record<string, unknown>;
    // The keys of a list are in order as they are.
    for (const key of Array.isArray(from) ? Object.keys(from) : Object.keys(from).sort()) {
      if (++looks % betweenRests === 0) yield;
      const inner = from[key];
      if (inner === undefined && !Array.isArray(from)) continue;
      const isShared = typeof inner !== 'object' || inner === null || Object.isFrozen(inner);
      const to = isShared ? undefined : emptyLike(inner);
      setOwn(next.to, key, to ?? inner);
      if (!to) continue;
      waiting.push({ from: inner as object, to });
    }
  }
  return copy as T;
}

function emptyLike(value: object): Record<string, unknown> {
  return (Array.isArray(value) ? [] : {}) as Record<string, unknown>;
}
