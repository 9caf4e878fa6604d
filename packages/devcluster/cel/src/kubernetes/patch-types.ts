import { exactInteger } from '@slipway/kube';
import { type Structs, times } from '../checker/named-types.js';
import { durationText, timestampText } from '../library/times.js';
import { type CelType, celType, dyn, listOf, string } from '../values/cel-type.js';
import {
  Duration,
  List,
  MapValue,
  ObjectValue,
  Opaque,
  Optional,
  Timestamp,
  Uint,
  type Value,
} from '../values/values.js';

/** What an expression that makes an apply configuration gives. */
export const configurationType: CelType = celType('Object');
const operationType = celType('JSONPatch');
/** What an expression that makes a JSON patch gives. */
export const jsonPatchType: CelType = listOf(operationType);

const operationFields: ReadonlyMap<string, CelType> = new Map([
  ['op', string],
  ['path', string],
  ['from', string],
  ['value', dyn],
]);

/** The type of fields that JSONPatch does not have, which Kubernetes takes for fields of a type without a name. */
const unnamed = celType('');

/** `JSONPatch{op: ...}`, and `Object{...}` with parts such as `Object.spec.template{...}`, which take any field. */
export const patchStructs: Structs = (name) => {
  if (name === operationType.name)
    return { type: operationType, field: (field) => operationFields.get(field) ?? unnamed };
  if (name === 'Object' || name.startsWith('Object.')) return { type: celType(name), field: () => dyn };
  return times(name);
};

/** A value cannot be written as JSON, or not where it stands. */
export class NoJsonError extends Error {
  override readonly name = 'NoJsonError';
}

/**
 * A value that an expression made as JSON.
 * @throws NoJsonError for values that JSON has no word for
 */
export function toJson(value: Value): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number')
    return value;
  if (typeof value === 'bigint') return exactInteger(value);
  if (value instanceof Uint) return Number(value.value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof Timestamp) return timestampText(value);
  if (value instanceof Duration) return durationText(value);
  if (value instanceof List) return value.items.map(toJson);
  if (value instanceof MapValue)
    return Object.fromEntries(value.entries().map(([key, one]) => [textKey(key), toJson(one)]));
  if (value instanceof ObjectValue) {
    return Object.fromEntries(value.names().map((name) => [name, toJson(value.get(name) ?? null)]));
  }
  const what = value instanceof Opaque ? value.type.name : value instanceof Optional ? 'optional' : 'type';
  throw new NoJsonError(`a value of type ${what} cannot be written as JSON`);
}

function textKey(key: Value): string {
  if (typeof key === 'string') return key;
  throw new NoJsonError('the keys of a map must be texts');
}

/**
 * Checks the type names in an object: each must match the path of its field.
 * Returns the first problem, undefined when there is none.
 */
export function misnamedPart(value: Value, path = 'Object'): string | undefined {
  if (value instanceof ObjectValue) {
    if (value.typeName !== path) {
      return `unexpected type name "${value.typeName}", expected "${path}", which matches field name path from root Object type`;
    }
    return firstOf(value.names().map((name) => misnamedPart(value.get(name) ?? null, `${path}.${name}`)));
  }
  if (value instanceof List) return firstOf(value.items.map((item) => misnamedPart(item, path)));
  if (value instanceof MapValue) return firstOf(value.entries().map(([, one]) => misnamedPart(one, path)));
  return undefined;
}

function firstOf(problems: readonly (string | undefined)[]): string | undefined {
  return problems.find((problem) => problem !== undefined);
}
