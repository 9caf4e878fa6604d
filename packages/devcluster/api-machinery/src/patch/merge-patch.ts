import { type Resumable, runToCompletion } from '../event-loop/resumable.js';
import { copyingFields } from '../json/json-in-slices.js';
import { isJsonObject, type JsonObject, jsonTypeName, own, setOwn } from '../json/json-value.js';
import { malformed } from './refusals.js';

/**
 * Applies an RFC 7386 merge patch: objects merge, null removes, anything else
 * replaces. Neither argument is changed; the result may share parts with both.
 *
 * As in Kubernetes, and unlike the RFC, nulls inside objects of a new list are dropped as well.
 * @throws StatusError 400 when the patch is not an object.
 */
export function applyMergePatch(original: Readonly<JsonObject>, patch: unknown): JsonObject {
  return runToCompletion(mergePatching(original, patch));
}

/** As `applyMergePatch`, and yields. */
export function* mergePatching(original: Readonly<JsonObject>, patch: unknown): Resumable<JsonObject> {
  if (patch === null) throw malformed('Invalid JSON Patch');
  if (!isJsonObject(patch)) {
    throw malformed(
      `error decoding patch: json: cannot unmarshal ${jsonTypeName(patch)} into Go value of type map[string]interface {}`,
    );
  }
  return yield* merging(original, patch);
}

/** Fields of a patch merged between two yields. */
const betweenYields = 1_000;

function* merging(original: Readonly<JsonObject>, patch: Readonly<JsonObject>): Resumable<JsonObject> {
  const result = yield* copyingFields(original);
  let merged = 0;
  for (const key of Object.keys(patch)) {
    if (++merged % betweenYields === 0) yield;
    const value = patch[key];
    if (value === null) {
      delete result[key];
      continue;
    }
    const before = own(original, key);
    if (!isJsonObject(before)) setOwn(result, key, withoutNulls(value));
    else setOwn(result, key, isJsonObject(value) ? yield* merging(before, value) : value);
  }
  return result;
}

/** A value without the null fields of its objects; null elements of lists stay. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  const result: JsonObject = {};
  for (const [key, inner] of Object.entries(value)) {
    if (inner !== null) setOwn(result, key, withoutNulls(inner));
  }
  return result;
}
