import { type StatusError, stringifyJson } from '@slipway/kube';
import { goText } from './go-text.js';
import { isJsonObject, own } from './json-value.js';
import { unexplained } from './refusals.js';

/** What makes two elements of a list the same one. */
export type Identity = (element: unknown) => string;

/** Elements of a list of scalars are what they say. */
export const byValue: Identity = (element) => stringifyJson(element);

/** Elements of a list of objects are told apart by one field, which they must have. */
export function byMergeKey(mergeKey: string): Identity {
  return (element) => {
    if (!isJsonObject(element) || !Object.hasOwn(element, mergeKey)) throw noMergeKey(element, mergeKey);
    return stringifyJson(own(element, mergeKey));
  };
}

/** An element does not say which one it is. Kubernetes answers 500 with this text. */
export function noMergeKey(element: unknown, mergeKey: string): StatusError {
  return unexplained(`map: ${goText(element)} does not contain declared merge key: ${mergeKey}`);
}

/**
 * Brings a merged list into order: the elements of `wanted` as they come there, the
 * others as they were in `live`, each as far ahead as its place in `live` allows.
 * Elements that `live` does not have go first.
 */
export function inOrder(
  merged: readonly unknown[],
  wanted: readonly unknown[],
  live: readonly unknown[],
  identity: Identity,
): unknown[] {
  const wantedAt = positions(wanted, identity);
  const liveAt = positions(live, identity);
  const asked = sortedBy(
    merged.filter((element) => wantedAt.has(identity(element))),
    wantedAt,
    identity,
  );
  const others = sortedBy(
    merged.filter((element) => !wantedAt.has(identity(element))),
    liveAt,
    identity,
  );

  const result: unknown[] = [];
  let next = 0;
  for (const element of asked) {
    const place = liveAt.get(identity(element));
    while (place !== undefined && next < others.length) {
      const otherPlace = liveAt.get(identity(others[next]));
      if (otherPlace === undefined || otherPlace >= place) break;
      result.push(others[next]);
      next += 1;
    }
    result.push(element);
  }
  return [...result, ...others.slice(next)];
}

function positions(list: readonly unknown[], identity: Identity): Map<string, number> {
  const places = new Map<string, number>();
  for (const [index, element] of list.entries()) {
    const key = identity(element);
    if (!places.has(key)) places.set(key, index);
  }
  return places;
}

function sortedBy(list: readonly unknown[], places: ReadonlyMap<string, number>, identity: Identity): unknown[] {
  const place = (element: unknown) => places.get(identity(element)) ?? Number.POSITIVE_INFINITY;
  return list.toSorted((a, b) => {
    const [left, right] = [place(a), place(b)];
    return left === right ? 0 : left - right;
  });
}
