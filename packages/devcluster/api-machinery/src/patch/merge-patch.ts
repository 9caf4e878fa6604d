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
  if (patch === null) throw malformed('Invalid JSON Patch');
  if (!isJsonObject(patch)) {
    throw malformed(
      `error decoding patch: json: cannot unmarshal ${jsonTypeName(patch)} into Go value of type map[string]interface {}`,
    );
  }
  return merged(original, patch);
}

function merged(original: Readonly<JsonObject>, patch: Readonly<JsonObject>): JsonObject {
  const result = { ...original };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) {
      delete result[key];
      continue;
    }
    const before = own(original, key);
    if (!isJsonObject(before)) setOwn(result, key, withoutNulls(value));
    else setOwn(result, key, isJsonObject(value) ? merged(before, value) : value);
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
