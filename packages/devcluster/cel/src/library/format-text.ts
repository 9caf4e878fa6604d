import { goQuoted } from '@slipway/api-machinery/errors/go-quoted';
import { type Failure, fail } from '../values/failure.js';
import { Duration, List, MapValue, Timestamp, TypeValue, typeNameOf, Uint, type Value } from '../values/values.js';
import { bytesText, scalarText } from './conversions.js';
import { formatParts, wrongArgument } from './format-clauses.js';
import { fixedText, significantDigits, specialText } from './numbers.js';
import { timeText } from './times.js';

/** More than any double has; a hostile expression asks for a billion. */
const mostDigits = 1_100;

/** `'%s is %d'.format([...])`: the clauses filled with the arguments. */
export function formatText(pattern: string, { items }: List): string | Failure {
  let used = 0;
  let text = '';
  for (const part of formatParts(pattern)) {
    if (typeof part === 'string') {
      text += part;
      continue;
    }
    const value = items[used];
    if (value === undefined) return fail(`index ${used} out of range`);
    if (part.problem !== undefined) return fail(part.problem);
    used++;
    const shown = show(part.verb, value, Math.min(part.precision ?? 6, mostDigits));
    if (typeof shown !== 'string') return shown;
    text += shown;
  }
  return text;
}

function show(verb: string, value: Value, precision: number): string | Failure {
  const whole = value instanceof Uint ? value.value : value;
  if (verb === 's') return inText(value);
  if (verb === 'd' && typeof whole === 'bigint') return String(whole);
  if (verb === 'o' && typeof whole === 'bigint') return whole.toString(8);
  if (verb === 'b' && typeof whole === 'bigint') return whole.toString(2);
  if (verb === 'b' && typeof whole === 'boolean') return whole ? '1' : '0';
  if (verb === 'x' || verb === 'X') {
    const text = hex(whole);
    if (text !== undefined) return verb === 'X' ? text.toUpperCase() : text;
  }
  if (verb === 'f' || verb === 'e') {
    const number = doubleOf(whole);
    if (number !== undefined) return verb === 'f' ? fixed(number, precision) : scientific(number).padStart(precision);
  }
  return fail(wrongArgument(verb, typeNameOf(value)));
}

function hex(value: Value): string | undefined {
  if (typeof value === 'bigint') return value.toString(16);
  const isBytes = typeof value === 'string' || value instanceof Uint8Array;
  return isBytes ? Buffer.from(value as string).toString('hex') : undefined;
}

function doubleOf(value: Value): number | undefined {
  if (typeof value === 'number') return value;
  return value === 'NaN' || value === 'Infinity' || value === '-Infinity' ? Number(value) : undefined;
}

/** Numbers that are none, as they look in English. */
function worded(value: number): string | undefined {
  return specialText(value)?.replace('Inf', '∞').replace('+', '');
}

/** Thousands are grouped, as in English. */
function fixed(value: number, precision: number): string {
  return (
    worded(value) ?? fixedText(value, precision).replace(/^-?\d+/, (whole) => whole.replaceAll(/\B(?=(\d{3})+$)/g, ','))
  );
}

/** Always six digits: Kubernetes takes the precision for the width. */
function scientific(value: number): string {
  const special = worded(value);
  if (special !== undefined) return special;
  const { digits, power } = significantDigits(value, 7);
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  const raised = [...String(Math.abs(power)).padStart(2, '0')].map((digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)]).join('');
  return `${sign}${digits[0]}.${digits.slice(1)}×10${power < 0 ? '⁻' : ''}${raised}`;
}

/** A value as text. */
function inText(value: Value): string | Failure {
  if (typeof value === 'string') return value;
  if (value instanceof Uint8Array) {
    return (
      bytesText(value) ??
      notText('could not convert argument "invalid UTF-8 in bytes, cannot convert to string" to string')
    );
  }
  if (value instanceof TypeValue) return value.type;
  if (value instanceof List) return listText(value);
  if (value instanceof MapValue) return mapText(value);
  const time = timeText(value);
  if (time !== undefined) return time;
  if (value === null || typeof value !== 'object' || value instanceof Uint) return scalarText(value);
  return fail(wrongArgument('s', typeNameOf(value)));
}

/** A value within a list or a map, written as in an expression. */
function inList(value: Value): string | Failure {
  if (typeof value === 'number') {
    const special = specialText(value);
    return special === undefined ? fixedText(value, 6) : JSON.stringify(special);
  }
  const isShown =
    value instanceof List || value instanceof MapValue || value instanceof TypeValue || value instanceof Uint;
  const isTime = value instanceof Duration || value instanceof Timestamp;
  const isPlain = value === null || typeof value !== 'object' || value instanceof Uint8Array;
  if (!isShown && !isTime && !isPlain) return notText(`no formatting function for ${typeNameOf(value)}`);
  const text = inText(value);
  if (typeof text !== 'string') return text;
  if (value instanceof Duration) return `duration(${goQuoted(text)})`;
  if (value instanceof Timestamp) return `timestamp(${goQuoted(text)})`;
  if (value instanceof Uint8Array) return `b${goQuoted(text)}`;
  return typeof value === 'string' ? goQuoted(text) : text;
}

function notText(why: string): Failure {
  return fail(`error during formatting: ${why}`);
}

function listText({ items }: List): string | Failure {
  const texts: string[] = [];
  for (const item of items) {
    const text = inList(item);
    if (typeof text !== 'string') return text;
    texts.push(text);
  }
  return `[${texts.join(', ')}]`;
}

function mapText(map: MapValue): string | Failure {
  const texts: (readonly [key: string, value: string])[] = [];
  for (const [key, value] of map.entries()) {
    if (typeof key === 'number') return notText('no formatting function for map key of type double');
    const keyText = inList(key);
    const text = inList(value);
    if (typeof keyText !== 'string') return keyText;
    if (typeof text !== 'string') return text;
    texts.push([keyText, text]);
  }
  texts.sort(([one], [other]) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
  return `{${texts.map(([key, text]) => `${key}:${text}`).join(', ')}}`;
}
