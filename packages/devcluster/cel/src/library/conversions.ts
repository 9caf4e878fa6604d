import { fail } from '../values/failure.js';
import {
  Duration,
  List,
  MapValue,
  none,
  Optional,
  Timestamp,
  TypeValue,
  typeNameOf,
  Uint,
  type Value,
} from '../values/values.js';
import { doubleText } from './numbers.js';
import { asInt, asUint } from './operators.js';
import { type Overload, overload, readsFirst, type Sizes } from './overload.js';
import { parseDuration, parseTimestamp, timeText } from './times.js';

const size: Overload['call'] = ([value]) => {
  if (typeof value === 'string') return BigInt([...value].length);
  if (value instanceof List) return BigInt(value.items.length);
  if (value instanceof MapValue) return BigInt(value.size);
  return BigInt((value as Uint8Array).length);
};

const sized = ['string', 'bytes', 'list(T)', 'map(K, V)'];
const same: Overload['call'] = ([value]) => value as Value;
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** size(), conversions between types, and optional values. */
export const conversions = (): readonly Overload[] => [
  ...sized.flatMap((type) => [overload('size', `(${type}): int`, size), overload('size', `${type}.(): int`, size)]),

  overload('int', '(int): int', same),
  overload('int', '(uint): int', ([value]) => asInt((value as Uint).value)),
  overload('int', '(double): int', ([value]) => truncated(value as number, (whole) => asInt(whole))),
  overload('int', '(string): int', ([value]) =>
    /^[-+]?\d+$/.test(value as string) ? asInt(BigInt((value as string).replace('+', ''))) : notRead(value, 'int'),
  ),
  overload('int', '(timestamp): int', ([value]) => seconds(value as Timestamp)),
  overload('int', '(duration): int', ([value]) => (value as Duration).nanos),
  overload('uint', '(uint): uint', same),
  overload('uint', '(int): uint', ([value]) => asUint(value as bigint)),
  overload('uint', '(double): uint', ([value]) => truncated(value as number, (whole) => asUint(whole))),
  overload('uint', '(string): uint', ([value]) =>
    /^\d+$/.test(value as string) ? asUint(BigInt(value as string)) : notRead(value, 'uint'),
  ),
  overload('double', '(double): double', same),
  overload('double', '(int): double', ([value]) => Number(value)),
  overload('double', '(uint): double', ([value]) => Number((value as Uint).value)),
  overload('double', '(string): double', ([value]) => parseDouble(value as string)),
  overload('string', '(string): string', same, { resultSize: ({ of: [length = 0] }) => length }),
  ...['int', 'uint', 'double', 'bool'].map((type) =>
    overload('string', `(${type}): string`, ([value]) => scalarText(value as Value)),
  ),
  ...['timestamp', 'duration'].map((type) =>
    overload('string', `(${type}): string`, ([value]) => timeText(value as Value) ?? ''),
  ),
  overload(
    'string',
    '(bytes): string',
    ([value]) => {
      try {
        return decoder.decode(value as Uint8Array);
      } catch {
        return fail('invalid UTF-8 in bytes, cannot convert to string');
      }
    },
    { ...readsFirst, resultSize: ({ of: [length = 0] }: Sizes) => length },
  ),
  overload('bytes', '(bytes): bytes', same),
  overload('bytes', '(string): bytes', ([value]) => Uint8Array.from(Buffer.from(value as string)), {
    ...readsFirst,
    resultSize: ({ of: [length = 0] }: Sizes) => length * 4,
  }),
  overload('bool', '(bool): bool', same),
  overload('bool', '(string): bool', ([value]) => parseBool(value as string)),
  overload('timestamp', '(timestamp): timestamp', same),
  overload(
    'timestamp',
    '(string): timestamp',
    ([value]) => parseTimestamp(value as string) ?? notRead(value, 'timestamp'),
  ),
  overload('timestamp', '(int): timestamp', ([value]) => new Timestamp((value as bigint) * 1_000_000_000n)),
  overload('duration', '(duration): duration', same),
  overload('duration', '(string): duration', ([value]) => parseDuration(value as string) ?? notRead(value, 'duration')),
  overload('duration', '(int): duration', ([value]) => new Duration(value as bigint)),
  overload('dyn', '(T): dyn', same, { resultSize: ({ of: [length = 0] }) => length }),
  overload('type', '(T): type(T)', ([value]) => new TypeValue(typeNameOf(value as Value))),

  overload('optional.of', '(T): optional_type(T)', ([value]) => new Optional(value as Value)),
  overload('optional.none', '(): optional_type(T)', () => none),
  overload('optional.ofNonZeroValue', '(T): optional_type(T)', ([value]) =>
    isZero(value as Value) ? none : new Optional(value as Value),
  ),
  overload('hasValue', 'optional_type(T).(): bool', ([given]) => (given as Optional).value !== undefined),
  overload(
    'value',
    'optional_type(T).(): T',
    ([given]) => (given as Optional).value ?? fail('optional.none() dereference'),
  ),
  overload('or', 'optional_type(T).(optional_type(T)): optional_type(T)', ([given, other]) =>
    (given as Optional).value === undefined ? (other as Value) : (given as Value),
  ),
  overload('orValue', 'optional_type(T).(T): T', ([given, other]) => (given as Optional).value ?? (other as Value)),
];

/** A number or a truth value as text. */
export function scalarText(value: Value): string {
  if (typeof value === 'number') return doubleText(value);
  return value instanceof Uint ? String(value.value) : String(value);
}

function notRead(value: Value | undefined, type: string): Value {
  return fail(`invalid ${type} argument: ${String(value)}`);
}

function truncated(value: number, convert: (whole: bigint) => Value): Value {
  return Number.isFinite(value) ? convert(BigInt(Math.trunc(value))) : fail('integer overflow');
}

function seconds({ nanos }: Timestamp): bigint {
  const whole = nanos / 1_000_000_000n;
  return nanos < 0n && nanos % 1_000_000_000n !== 0n ? whole - 1n : whole;
}

function parseDouble(text: string): Value {
  const special = /^([-+]?)(inf|infinity|nan)$/i.exec(text);
  if (special) {
    const number = special[2]?.toLowerCase() === 'nan' ? Number.NaN : Number.POSITIVE_INFINITY;
    return special[1] === '-' ? -number : number;
  }
  return /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/.test(text) ? Number(text) : notRead(text, 'double');
}

function parseBool(text: string): Value {
  if (['true', 'True', 'TRUE', 't', 'T', '1'].includes(text)) return true;
  if (['false', 'False', 'FALSE', 'f', 'F', '0'].includes(text)) return false;
  return notRead(text, 'bool');
}

function isZero(value: Value): boolean {
  if (value === null || value === false || value === 0n || value === 0 || value === '') return true;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Duration) return value.nanos === 0n;
  if (value instanceof List) return value.items.length === 0;
  if (value instanceof MapValue) return value.size === 0;
  return value instanceof Uint8Array && value.length === 0;
}
