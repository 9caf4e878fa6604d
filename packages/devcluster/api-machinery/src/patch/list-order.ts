import { type StatusError, stringifyJson } from '@slipway/kube';
import { goText } from '../json/go-text.js';
import { isJsonObject, own } from '../json/json-value.js';
import { unexplained } from './refusals.js';

/** What makes two elements of a list the same one. */
export type Identity = (element: unknown) => string;

/** Elements of a list of scalars are what they say. */
export const byValue: Identity = (element) => (typeof element === 'string' ? `"${element}` : stringifyJson(element));

/** Elements of a list of objects are told apart by one field, which they must have. */
export function byMergeKey(mergeKey: string): Identity {
  return (element) => {
    if (!isJsonObject(element) || !Object.hasOwn(element, mergeKey)) throw noMergeKey(element, mergeKey);
    return byValue(own(element, mergeKey));
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
  const asked: Placed[] = [];
  const others: Placed[] = [];
  for (const element of merged) {
    const key = identity(element);
    const [wantedPlace, livePlace] = [wantedAt.get(key), liveAt.get(key)];
    if (wantedPlace !== undefined) asked.push({ element, order: wantedPlace, livePlace });
    else others.push({ element, order: livePlace ?? Number.POSITIVE_INFINITY, livePlace });
  }
  asked.sort(byOrder);
  others.sort(byOrder);

  const result: unknown[] = [];
  let next = 0;
  for (const { element, livePlace: place } of asked) {
    for (let other = others[next]; place !== undefined && other !== undefined; other = others[next]) {
      if (other.livePlace === undefined || other.livePlace >= place) break;
      result.push(other.element);
      next += 1;
    }
    result.push(element);
  }
  for (const { element } of others.slice(next)) result.push(element);
  return result;
}

/** An element, what it is sorted by, and where it was. */
interface Placed {
  readonly element: unknown;
  readonly order: number;
  readonly livePlace: number | undefined;
}

function byOrder(a: Placed, b: Placed): number {
  return a.order === b.order ? 0 : a.order - b.order;
}

function positions(list: readonly unknown[], identity: Identity): Map<string, number> {
  const places = new Map<string, number>();
  for (const [index, element] of list.entries()) {
    const key = identity(element);
    if (!places.has(key)) places.set(key, index);
  }
  return places;
}
