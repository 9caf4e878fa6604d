import { fail } from '../values/failure.js';
import {
  Duration,
  List,
  MapValue,
  none,
  Optional,
  type Timestamp,
  TypeValue,
  typeNameOf,
  Uint,
  type Value,
} from '../values/values.js';
import { doubleText } from './numbers.js';
import { asInt, asTimestamp, asUint } from './operators.js';
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
  overload('int', '(double): int', ([value]) => truncated(value as number, asInt)),
  overload('int', '(string): int', ([value]) =>
    /^[-+]?\d+$/.test(value as string) ? asInt(BigInt((value as string).replace('+', ''))) : notRead('int'),
  ),
  overload('int', '(timestamp): int', ([value]) => seconds(value as Timestamp)),
  overload('int', '(duration): int', ([value]) => (value as Duration).nanos),
  overload('uint', '(uint): uint', same),
  overload('uint', '(int): uint', ([value]) => asUint(value as bigint)),
  overload('uint', '(double): uint', ([value]) => truncated(value as number, asUint)),
  overload('uint', '(string): uint', ([value]) =>
    /^\d+$/.test(value as string) ? asUint(BigInt(value as string)) : notRead('uint'),
  ),
  overload('double', '(double): double', same),
  overload('double', '(int): double', ([value]) => Number(value)),
  overload('double', '(uint): double', ([value]) => Number((value as Uint).value)),
  overload('double', '(string): double', ([value]) => parseDouble(value as string)),
  overload('string', '(string): string', same),
  ...['int', 'uint', 'double', 'bool'].map((type) =>
    overload('string', `(${type}): string`, ([value]) => scalarText(value as Value)),
  ),
  ...['timestamp', 'duration'].map((type) =>
    overload('string', `(${type}): string`, ([value]) => timeText(value as Value) ?? ''),
  ),
  overload(
    'string',
    '(bytes): string',
    ([value]) => bytesText(value as Uint8Array) ?? fail('invalid UTF-8 in bytes, cannot convert to string'),
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
    ([value]) => parseTimestamp(value as string) ?? notRead('google.protobuf.Timestamp'),
  ),
  overload('timestamp', '(int): timestamp', ([value]) => asTimestamp((value as bigint) * 1_000_000_000n)),
  overload('duration', '(duration): duration', same),
  overload(
    'duration',
    '(string): duration',
    ([value]) => parseDuration(value as string) ?? notRead('google.protobuf.Duration'),
  ),
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
  // The evaluator makes these two itself.
  overload('or', 'optional_type(T).(optional_type(T)): optional_type(T)', ([given]) => given as Value),
  overload('orValue', 'optional_type(T).(T): T', ([given]) => given as Value),
];

/** A number or a truth value as text. */
export function scalarText(value: Value): string {
  if (typeof value === 'number') return doubleText(value);
  return value instanceof Uint ? String(value.value) : String(value);
}

/** Bytes as text; undefined for those that are none. */
export function bytesText(value: Uint8Array): string | undefined {
  try {
    return decoder.decode(value);
  } catch {
    return undefined;
  }
}

function notRead(type: string): Value {
  return fail(`type conversion error from 'string' to '${type}'`);
}

function truncated(value: number, convert: (whole: bigint) => Value): Value {
  // What is not finite is too large for either.
  return convert(Number.isFinite(value) ? BigInt(Math.trunc(value)) : 1n << 64n);
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
  const number = /^[-+]?0[xX]/.test(text) ? hexadecimal(text) : decimal(text);
  return Number.isFinite(number) ? number : notRead('double');
}

/** A number of digits, which underscores may stand between, as Go reads it; not finite for all else. */
function decimal(text: string): number {
  const isNumber = /^[-+]?(?:\d+(?:_\d+)*\.?(?:\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)(?:[eE][-+]?\d+(?:_\d+)*)?$/.test(text);
  return isNumber ? Number(text.replaceAll('_', '')) : Number.NaN;
}

/** `0x1.8p3`: digits to the base of 16, times a power of two. */
function hexadecimal(text: string): number {
  const found = /^([-+]?)0[xX]_?([\da-fA-F_]*)\.?([\da-fA-F_]*)[pP]([-+]?\d+)$/.exec(text);
  const [whole, fraction] = [found?.[2] ?? '', found?.[3] ?? ''].map((digits) => digits.replaceAll('_', ''));
  if (!found || `${whole}${fraction}` === '') return Number.NaN;
  const digits = Number(`0x${whole}${fraction}`);
  const number = digits * 2 ** (Number(found[4]) - 4 * (fraction ?? '').length);
  return found[1] === '-' ? -number : number;
}

function parseBool(text: string): Value {
  if (['true', 'True', 'TRUE', 't', 'T', '1'].includes(text)) return true;
  if (['false', 'False', 'FALSE', 'f', 'F', '0'].includes(text)) return false;
  return notRead('bool');
}

function isZero(value: Value): boolean {
  if (value === null || value === false || value === 0n || value === 0 || value === '') return true;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Duration) return value.nanos === 0n;
  if (value instanceof List) return value.items.length === 0;
  if (value instanceof MapValue) return value.size === 0;
  return value instanceof Uint8Array && value.length === 0;
}
