import { goQuoted } from '@slipway/api-machinery/errors/go-quoted';
import { Failure, fail } from '../values/failure.js';
import { Duration, Timestamp, type Value } from '../values/values.js';
import { plainText } from './numbers.js';
import { asTimestamp } from './operators.js';
import { type Overload, overload } from './overload.js';

const second = 1_000_000_000n;

const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: second,
  m: 60n * second,
  h: 3_600n * second,
};

/** A duration as Go reads it: `1h30m`, `-1.5s`, `0`. */
export function parseDuration(text: string): Duration | undefined {
  const [, sign, rest = ''] = /^([-+]?)(.*)$/s.exec(text) ?? [];
  if (rest === '0') return new Duration(0n);
  if (!/^(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/.test(rest)) return undefined;
  let nanos = 0n;
  for (const [, whole = '', fraction = '', unit = ''] of rest.matchAll(/(\d*)\.?(\d*)(ns|us|µs|μs|ms|s|m|h)/g)) {
    const scale = units[unit] ?? 1n;
    nanos += BigInt(whole || '0') * scale;
    if (fraction !== '') nanos += (BigInt(fraction) * scale) / 10n ** BigInt(fraction.length);
  }
  if (BigInt.asIntN(64, nanos) !== nanos) return undefined;
  return new Duration(sign === '-' ? -nanos : nanos);
}

/** A duration as texts have it: seconds, with a fraction where there is one. */
export function durationText({ nanos }: Duration): string {
  // Kubernetes takes the seconds for a double: long durations lose their nanoseconds.
  return `${plainText(Number(nanos / second) + Number(nanos % second) / 1e9)}s`;
}

function fractionText(nanos: bigint): string {
  return nanos === 0n ? '' : `.${String(nanos).padStart(9, '0').replace(/0+$/, '')}`;
}

/** A point in time as RFC 3339 writes it. */
export function parseTimestamp(text: string): Timestamp | undefined {
  const found = /^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(?:[.,](\d+))?([Zz]|[+-]\d\d:\d\d)$/.exec(text);
  if (!found) return undefined;
  const [, date = '', time = '', fraction = '', zone = ''] = found;
  const ms = Date.parse(`${date}T${time}Z`);
  if (Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 19) !== `${date}T${time}`) return undefined;
  const offset = offsetSeconds(zone.toUpperCase() === 'Z' ? '+00:00' : zone) ?? 0;
  const nanos = BigInt(ms) * 1_000_000n + BigInt(fraction.slice(0, 9).padEnd(9, '0')) - BigInt(offset) * second;
  const read = asTimestamp(nanos, offset);
  return read instanceof Timestamp ? read : undefined;
}

export function timestampText({ nanos, ahead }: Timestamp): string {
  const fraction = floorModulo(nanos, second);
  const date = new Date(Number((nanos - fraction) / 1_000_000n) + ahead * 1_000);
  return `${date.toISOString().slice(0, 19)}${fractionText(fraction)}${zoneText(ahead)}`;
}

function zoneText(ahead: number): string {
  if (ahead === 0) return 'Z';
  const minutes = Math.abs(ahead) / 60;
  const two = (value: number) => String(value).padStart(2, '0');
  return `${ahead < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

function floorModulo(value: bigint, by: bigint): bigint {
  return ((value % by) + by) % by;
}

/** `+01:00`, or `+00:53:28` of times long ago, in seconds. */
function offsetSeconds(zone: string): number | undefined {
  const [, sign, hours = '', minutes = '', seconds = '0'] = /^([+-]?)(\d\d):(\d\d)(?::(\d\d))?$/.exec(zone) ?? [];
  if (hours === '') return undefined;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds));
}

/** The date whose UTC parts are those of a point in time in some zone. */
function localDate({ nanos }: Timestamp, zone: string): Date | Failure {
  const ms = Number((nanos - floorModulo(nanos, 1_000_000n)) / 1_000_000n);
  const offset = zone.includes(':') ? givenOffset(zone) : zone === 'UTC' || zone === '' ? 0 : namedOffset(zone, ms);
  if (offset instanceof Failure) return offset;
  return offset === undefined ? fail(`unknown time zone ${zone}`) : new Date(ms + offset * 1_000);
}

/** `+01:00` in seconds, as Kubernetes reads it: whole numbers around the first colon. */
function givenOffset(zone: string): number | Failure {
  const [, hours = '', minutes = ''] = /^([^:]*):(.*)$/s.exec(zone) ?? [];
  const odd = [hours, minutes].find((digits) => !/^[-+]?\d+$/.test(digits));
  if (odd !== undefined) return fail(`strconv.Atoi: parsing ${goQuoted(odd)}: invalid syntax`);
  const [hour, minute] = [Number(hours), Number(minutes)];
  return (hour * 60 + (zone.startsWith('-') ? -minute : minute)) * 60;
}

function namedOffset(timeZone: string, ms: number): number | undefined {
  try {
    const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
    const name = format.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT';
    return name === 'GMT' ? 0 : offsetSeconds(name.slice(3));
  } catch {
    return undefined;
  }
}

const parts: Readonly<Record<string, (date: Date) => number>> = {
  getFullYear: (date) => date.getUTCFullYear(),
  getMonth: (date) => date.getUTCMonth(),
  getDayOfMonth: (date) => date.getUTCDate() - 1,
  getDate: (date) => date.getUTCDate(),
  getDayOfWeek: (date) => date.getUTCDay(),
  getDayOfYear: (date) => Math.floor((date.getTime() - new Date(date).setUTCMonth(0, 1)) / 86_400_000),
  getHours: (date) => date.getUTCHours(),
  getMinutes: (date) => date.getUTCMinutes(),
  getSeconds: (date) => date.getUTCSeconds(),
  getMilliseconds: (date) => date.getUTCMilliseconds(),
};

function partOf(read: (date: Date) => number): Overload['call'] {
  return ([time, zone = 'UTC']) => {
    const date = localDate(time as Timestamp, zone as string);
    return date instanceof Date ? BigInt(read(date)) : date;
  };
}

const durationParts: Readonly<Record<string, bigint>> = {
  getHours: 3_600n * second,
  getMinutes: 60n * second,
  getSeconds: second,
  getMilliseconds: 1_000_000n,
};

/** Methods of times. */
export const times = (): readonly Overload[] => [
  ...Object.entries(parts).flatMap(([name, read]) => [
    overload(name, 'timestamp.(): int', partOf(read)),
    overload(name, 'timestamp.(string): int', partOf(read)),
  ]),
  ...Object.entries(durationParts).map(([name, unit]) =>
    overload(name, 'duration.(): int', ([value]) => (value as Duration).nanos / unit),
  ),
];

/** The text of a time as `string()` and `format()` have it; undefined for other values. */
export function timeText(value: Value): string | undefined {
  if (value instanceof Duration) return durationText(value);
  return value instanceof Timestamp ? timestampText(value) : undefined;
}
