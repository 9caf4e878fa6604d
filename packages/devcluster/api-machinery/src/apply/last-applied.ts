import { goJson, sortedKeys } from '../json/go-text.js';
import { isJsonObject } from '../json/json-value.js';
import { checkType } from './check-type.js';
import { compare } from './compare.js';
import { difference, type FieldSet, noFields } from './field-set.js';
import { fieldsOf } from './fields-of.js';
import type { TypedKind } from './typed-kind.js';

/** Where `kubectl apply` notes what it applied when it merges by itself. */
export const lastAppliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * The fields that an earlier client-side apply set and that still have the value
 * it gave them: kubectl may take those over without a conflict.
 */
export function fieldsOfLastApplied(kind: TypedKind, live: unknown): FieldSet {
  const text = annotationsOf(live)?.[lastAppliedAnnotation];
  if (typeof text !== 'string' || text === '') return noFields;
  try {
    const last: unknown = JSON.parse(text);
    if (!isJsonObject(last) || last.apiVersion !== kind.apiVersion) return noFields;
    checkType(kind.type, last, 'refused');
    const { added, modified, removed } = compare(kind.type, last, live);
    return [modified, added, removed].reduce(difference, fieldsOf(kind.type, last));
  } catch {
    // The annotation may be edited by hand; an unreadable one is ignored.
    return noFields;
  }
}

/** Keeps the note of a client-side apply true when kubectl applies on the server: in place, where there is one. */
export function noteLastApplied(object: unknown, config: unknown): void {
  const annotations = annotationsOf(object);
  if (!annotations?.[lastAppliedAnnotation]) return;
  const noted = structuredClone(config);
  const own = annotationsOf(noted);
  if (own) delete own[lastAppliedAnnotation];
  annotations[lastAppliedAnnotation] = `${goJson(sortedKeys(noted))}\n`;
}

function annotationsOf(object: unknown): Record<string, unknown> | undefined {
  if (!isJsonObject(object) || !isJsonObject(object.metadata)) return undefined;
  const { annotations } = object.metadata;
  return isJsonObject(annotations) ? annotations : undefined;
}
