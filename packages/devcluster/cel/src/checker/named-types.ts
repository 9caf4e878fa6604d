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
} from '../values/cel-type.js';

/** A type whose values expressions can construct: `Name{field: value}`. */
export interface Struct {
  readonly type: CelType;
  /** The type of a field, undefined when there is none of that name. */
  readonly field: (name: string) => CelType | undefined;
}

/** Looks up by name a type whose values expressions can construct. */
export type Structs = (name: string) => Struct | undefined;

const secondsAndNanos: Struct['field'] = (name) => (name === 'seconds' || name === 'nanos' ? int : undefined);

/** Timestamps and durations, which every expression can construct. */
export const times: Structs = (name) => {
  const type = typeNames.get(name);
  return type === timestamp || type === duration ? { type, field: secondsAndNanos } : undefined;
};

/** Types that expressions refer to by name. */
export const typeNames: ReadonlyMap<string, CelType> = new Map([
  ...[bool, int, uint, double, string, bytes].map((type) => [type.name, type] as const),
  ['null_type', nullType],
  ['list', listOf(dyn)],
  ['map', mapOf(dyn, dyn)],
  ['type', typeOf(dyn)],
  ['google.protobuf.Timestamp', timestamp],
  ['google.protobuf.Duration', duration],
  ['optional_type', optionalOf(dyn)],
  ['net.IP', celType('net.IP')],
  ['net.CIDR', celType('net.CIDR')],
  ['kubernetes.Quantity', celType('kubernetes.Quantity')],
  ['kubernetes.Semver', celType('kubernetes.Semver')],
  ['kubernetes.URL', celType('kubernetes.URL')],
]);
