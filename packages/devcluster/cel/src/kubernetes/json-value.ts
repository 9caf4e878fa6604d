import { isJsonObject } from '@slipway/api-machinery/json/json-value';
import { List, MapValue, type Value } from '../values/values.js';

/** A JSON value as expressions see it that know no schema of it: objects are maps, whole numbers ints. */
export function jsonValue(json: unknown): Value {
  if (json === null || json === undefined) return null;
  if (typeof json === 'number') return Number.isInteger(json) ? BigInt(json) : json;
  if (typeof json === 'string' || typeof json === 'boolean' || typeof json === 'bigint') return json;
  if (Array.isArray(json)) return new List(json.map(jsonValue));
  return isJsonObject(json) ? MapValue.ofFields(json, jsonValue) : null;
}
