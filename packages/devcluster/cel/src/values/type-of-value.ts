import {
  bool,
  bytes,
  type CelType,
  celType,
  double,
  duration,
  dyn,
  int,
  listOf,
  mapOf,
  nullType,
  optionalOf,
  string,
  timestamp,
  typeOf,
  uint,
} from './cel-type.js';
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
export function celTypeOf(value: Value): CelType {
  if (value === null) return nullType;
  switch (typeof value) {
    case 'boolean':
      return bool;
    case 'bigint':
      return int;
    case 'number':
      return double;
    case 'string':
      return string;
    default:
  }
  if (value instanceof Uint8Array) return bytes;
  if (value instanceof Uint) return uint;
  if (value instanceof Duration) return duration;
  if (value instanceof Timestamp) return timestamp;
  if (value instanceof List) return listOf(value.items[0] === undefined ? dyn : celTypeOf(value.items[0]));
  if (value instanceof MapValue) return mapOf(dyn, dyn);
  if (value instanceof ObjectValue) return celType(value.typeName);
  if (value instanceof Optional) return optionalOf(value.value === undefined ? dyn : celTypeOf(value.value));
  if (value instanceof TypeValue) return typeOf(dyn);
  return value instanceof Opaque ? value.type : dyn;
}
