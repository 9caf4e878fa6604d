import { type Failure, fail } from '../values/failure.js';
import { compareNumbers, compareValues, sameValue } from '../values/same-value.js';
import { celTypeOf } from '../values/type-of-value.js';
import {
  Duration,
  List,
  MapValue,
  none,
  ObjectValue,
  Opaque,
  Optional,
  sizeOf,
  Timestamp,
  Uint,
  type Value,
} from '../values/values.js';
import { binary, type Overload, overload, type Sizes, traversal } from './overload.js';

const compared = { cost: ({ of: [a = 0, b = 0] }: Sizes) => traversal(Math.min(a, b)) };
const added = { resultSize: ({ of: [a = 0, b = 0] }: Sizes) => a + b };
const joined = { cost: ({ of: [a = 0, b = 0] }: Sizes) => traversal(a + b), ...added };

/** Arithmetic, comparison, membership and access. `&&`, `||` and `?:` are the evaluator's own. */
export const operators = (): readonly Overload[] => [
  binary(
    '_==_',
    '(T, T): bool',
    (a, b, meter) => (b instanceof Opaque && b.isSum ? fail('no such overload') : sameValue(a, b, meter)),
    compared,
  ),
  binary(
    '_!=_',
    '(T, T): bool',
    (a, b, meter) => (b instanceof Opaque && b.isSum) || !sameValue(a, b, meter),
    compared,
  ),
  ...ordering('_<_', (order) => order < 0),
  ...ordering('_<=_', (order) => order <= 0),
  ...ordering('_>_', (order) => order > 0),
  ...ordering('_>=_', (order) => order >= 0),

  binary('_+_', '(int, int): int', (a, b) => asInt((a as bigint) + (b as bigint))),
  binary('_+_', '(uint, uint): uint', (a, b) => asUint(unsigned(a) + unsigned(b))),
  binary('_+_', '(double, double): double', (a, b) => (a as number) + (b as number)),
  binary('_+_', '(string, string): string', (a, b) => (a as string) + (b as string), joined),
  binary('_+_', '(bytes, bytes): bytes', (a, b) => Buffer.concat([a as Uint8Array, b as Uint8Array]), joined),
  binary(
    '_+_',
    '(list(T), list(T)): list(T)',
    (a, b, meter) => {
      meter.spend((sizeOf(a) + sizeOf(b)) / 5);
      return concatenated(a as List, b as List);
    },
    added,
  ),
  binary('_+_', '(duration, duration): duration', (a, b) => asDuration(nanos(a) + nanos(b))),
  binary('_+_', '(timestamp, duration): timestamp', (a, b) => moved(a as Timestamp, nanos(b))),
  binary('_+_', '(duration, timestamp): timestamp', (a, b) => moved(b as Timestamp, nanos(a))),
  binary('_-_', '(int, int): int', (a, b) => asInt((a as bigint) - (b as bigint))),
  binary('_-_', '(uint, uint): uint', (a, b) => asUint(unsigned(a) - unsigned(b))),
  binary('_-_', '(double, double): double', (a, b) => (a as number) - (b as number)),
  binary('_-_', '(duration, duration): duration', (a, b) => asDuration(nanos(a) - nanos(b))),
  binary('_-_', '(timestamp, duration): timestamp', (a, b) => moved(a as Timestamp, -nanos(b))),
  binary('_-_', '(timestamp, timestamp): duration', (a, b) => asDuration(nanos(a) - nanos(b))),
  binary('_*_', '(int, int): int', (a, b) => asInt((a as bigint) * (b as bigint))),
  binary('_*_', '(uint, uint): uint', (a, b) => asUint(unsigned(a) * unsigned(b))),
  binary('_*_', '(double, double): double', (a, b) => (a as number) * (b as number)),
  binary('_/_', '(int, int): int', (a, b) => (b === 0n ? byZero() : asInt((a as bigint) / (b as bigint)))),
  binary('_/_', '(uint, uint): uint', (a, b) => (unsigned(b) === 0n ? byZero() : asUint(unsigned(a) / unsigned(b)))),
  binary('_/_', '(double, double): double', (a, b) => (a as number) / (b as number)),
  binary('_%_', '(int, int): int', (a, b) =>
    b === 0n ? fail('modulus by zero') : asInt((a as bigint) % (b as bigint)),
  ),
  binary('_%_', '(uint, uint): uint', (a, b) =>
    unsigned(b) === 0n ? fail('modulus by zero') : asUint(unsigned(a) % unsigned(b)),
  ),
  overload('-_', '(int): int', ([a]) => asInt(-(a as bigint))),
  overload('-_', '(double): double', ([a]) => -(a as number)),
  overload('!_', '(bool): bool', ([a]) => !(a as boolean)),

  overload(
    '@in',
    '(T, list(T)): bool',
    ([item, list], meter) =>
      (list as List).items.some((other) => {
        meter.spend(traversal(Math.min(sizeOf(item as Value), sizeOf(other))) - 1);
        return sameValue(item as Value, other, meter);
      }),
    { cost: ({ of }) => of[1] ?? 1 },
  ),
  overload('@in', '(K, map(K, V)): bool', ([key, map]) => (map as MapValue).has(key as Value)),

  overload('_[_]', '(list(T), int): T', ([list, index]) => itemAt(list as List, index as Value)),
  overload('_[_]', '(map(K, V), K): V', ([map, key]) => (map as MapValue).get(key as Value) ?? noSuchKey(key as Value)),
  overload('_[?_]', '(list(T), int): optional_type(T)', ([list, index]) => optionalItem(list as List, index as Value)),
  overload('_[?_]', '(map(K, V), K): optional_type(V)', ([map, key]) => found((map as MapValue).get(key as Value))),
  overload('_[_]', '(optional_type(list(T)), int): optional_type(T)', ([list, index]) =>
    through(list as Optional, (inner) => optionalItem(inner as List, index as Value)),
  ),
  overload('_[_]', '(optional_type(map(K, V)), K): optional_type(V)', ([map, key]) =>
    through(map as Optional, (inner) => found((inner as MapValue).get(key as Value))),
  ),
  overload('_[?_]', '(optional_type(list(T)), int): optional_type(T)', ([list, index]) =>
    through(list as Optional, (inner) => optionalItem(inner as List, index as Value)),
  ),
  overload('_[?_]', '(optional_type(map(K, V)), K): optional_type(V)', ([map, key]) =>
    through(map as Optional, (inner) => found((inner as MapValue).get(key as Value))),
  ),
];

function ordering(name: string, holds: (order: number) => boolean): Overload[] {
  const numbers = ['int', 'uint', 'double'];
  const compare: Overload['two'] = (a, b) => {
    const order = compareValues(a, b);
    return order === undefined ? fail('no such overload') : holds(order);
  };
  return [
    ...['bool', 'string', 'bytes', 'timestamp', 'duration'].map((type) =>
      binary(name, `(${type}, ${type}): bool`, compare, type === 'string' || type === 'bytes' ? compared : {}),
    ),
    ...numbers.flatMap((left) =>
      numbers.map((right) =>
        binary(name, `(${left}, ${right}): bool`, (a, b) => {
          const order = compareNumbers(a, b) ?? Number.NaN;
          return Number.isNaN(order) ? fail('NaN values cannot be ordered') : holds(order);
        }),
      ),
    ),
  ];
}

/** An int, unless it needs more than 64 bits. */
export function asInt(value: bigint): bigint | Failure {
  return BigInt.asIntN(64, value) === value ? value : fail('integer overflow');
}

/** A uint, unless it needs more than 64 bits or a sign. */
export function asUint(value: bigint): Uint | Failure {
  return BigInt.asUintN(64, value) === value ? new Uint(value) : fail('unsigned integer overflow');
}

/** A duration, unless it is longer than 292 years. */
export function asDuration(value: bigint): Duration | Failure {
  return BigInt.asIntN(64, value) === value ? new Duration(value) : fail('integer overflow');
}

const firstSecond = -62_135_596_800n;
const lastSecond = 253_402_300_799n;
const second = 1_000_000_000n;

/** A point in time of the years 1 to 9999. */
export function asTimestamp(value: bigint, ahead = 0): Timestamp | Failure {
  return value < firstSecond * second || value >= (lastSecond + 1n) * second
    ? fail('timestamp overflow')
    : new Timestamp(value, ahead);
}

function moved({ nanos, ahead }: Timestamp, by: bigint): Timestamp | Failure {
  return asTimestamp(nanos + by, ahead);
}

function unsigned(value: Value | undefined): bigint {
  return (value as Uint).value;
}

function nanos(value: Value | undefined): bigint {
  return (value as Duration | Timestamp).nanos;
}

function byZero(): Failure {
  return fail('division by zero');
}

/** Fails for a key of a list that is not a number. */
export function noSuchIndex(index: Value): Failure {
  return fail(`unsupported index type '${celTypeOf(index).name}' in list`);
}

/** Fails for a key that is not there, in a map or in a value that has no keys at all. */
export function noSuchKey(key: Value): Failure {
  return fail(`no such key: ${key instanceof Uint ? key.value : String(key)}`);
}

/** Sets and maps among lists take every element once: those of the right side replace those of the left. */
function concatenated(a: List, b: List): List {
  const { keyOf } = a;
  if (!keyOf) return new List(a.items.concat(b.items));
  const items = new Map(a.items.map((item) => [keyOf(item), item]));
  for (const item of b.items) items.set(keyOf(item), item);
  return new List([...items.values()], keyOf);
}

/** An element of a list; fails for an index that is none of its. */
export function itemAt({ items }: List, index: Value): Value {
  return items[indexOf(index)] ?? fail(`index out of bounds: ${String(index)}`);
}

function indexOf(index: Value): number {
  const number = index instanceof Uint ? Number(index.value) : Number(index as bigint);
  return Number.isInteger(number) ? number : -1;
}

function optionalItem({ items }: List, index: Value): Optional {
  return found(items[indexOf(index)]);
}

function found(value: Value | undefined): Optional {
  return value === undefined ? none : new Optional(value);
}

function through(optional: Optional, read: (inner: Value) => Optional): Optional {
  return optional.value === undefined ? none : read(optional.value);
}

/** A field of an object or a key of a map; a Failure when it is not there. */
export function fieldOf(value: Value, name: string): Value {
  const field = value instanceof ObjectValue || value instanceof MapValue ? value.get(name) : undefined;
  if (field !== undefined) return field;
  return value instanceof List ? noSuchIndex(name) : noSuchKey(name);
}
