import * as types from './cel-type.js';
import {
  Duration,
  List,
  MapValue,
  ObjectValue,
  Opaque,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from './values.js';

/** The type of a value when it is known at last; elements of lists are taken for what the first one is. */
export function celTypeOf(value: Value): types.CelType {
  if (value === null) return types.nullType;
  switch (typeof value) {
    case 'boolean':
      return types.bool;
    case 'bigint':
      return types.int;
    case 'number':
      return types.double;
    case 'string':
      return types.string;
    default:
  }
  if (value instanceof Uint8Array) return types.bytes;
  if (value instanceof Uint) return types.uint;
  if (value instanceof Duration) return types.duration;
  if (value instanceof Timestamp) return types.timestamp;
  if (value instanceof List) return types.listOf(value.items[0] === undefined ? types.dyn : celTypeOf(value.items[0]));
  if (value instanceof MapValue) return types.mapOf(types.dyn, types.dyn);
  if (value instanceof ObjectValue) return types.celType(value.typeName);
  if (value instanceof Optional)
    return types.optionalOf(value.value === undefined ? types.dyn : celTypeOf(value.value));
  if (value instanceof TypeValue) return types.typeOf(types.dyn);
  return value instanceof Opaque ? value.type : types.dyn;
}
