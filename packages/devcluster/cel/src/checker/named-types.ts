import * as types from '../values/cel-type.js';

/** A type whose values expressions can construct: `Name{field: value}`. */
export interface Struct {
  readonly type: types.CelType;
  /** The type of a field, undefined when there is none of that name. */
  readonly field: (name: string) => types.CelType | undefined;
}

/** Looks up by name a type whose values expressions can construct. */
export type Structs = (name: string) => Struct | undefined;

const secondsAndNanos: Struct['field'] = (name) => (name === 'seconds' || name === 'nanos' ? types.int : undefined);

/** Timestamps and durations, which every expression can construct. */
export const times: Structs = (name) => {
  const type = typeNames.get(name);
  return type === types.timestamp || type === types.duration ? { type, field: secondsAndNanos } : undefined;
};

/** Types that expressions refer to by name. */
export const typeNames: ReadonlyMap<string, types.CelType> = new Map([
  ...[types.bool, types.int, types.uint, types.double, types.string, types.bytes].map(
    (type) => [type.name, type] as const,
  ),
  ['null_type', types.nullType],
  ['list', types.listOf(types.dyn)],
  ['map', types.mapOf(types.dyn, types.dyn)],
  ['type', types.typeOf(types.dyn)],
  ['google.protobuf.Timestamp', types.timestamp],
  ['google.protobuf.Duration', types.duration],
  ['optional_type', types.optionalOf(types.dyn)],
  ['net.IP', types.celType('net.IP')],
  ['net.CIDR', types.celType('net.CIDR')],
  ['kubernetes.Quantity', types.celType('kubernetes.Quantity')],
  ['kubernetes.Semver', types.celType('kubernetes.Semver')],
  ['kubernetes.URL', types.celType('kubernetes.URL')],
]);
