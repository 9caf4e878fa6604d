import { type Failure, fail } from '../values/failure.js';
import { List, MapValue, Opaque, TypeValue, Uint, type Value } from '../values/values.js';
import { scalarText } from './conversions.js';
import { timeText } from './times.js';

const clause = /%(?:%|(?:\.(\d+))?([sdfebxXo])|(.?))/gsu;

/** `'%s is %d'.format([...])`: the clauses filled with the arguments. */
export function formatText(pattern: string, { items }: List): string | Failure {
  let used = 0;
  let failed: Failure | undefined;
  const text = pattern.replace(clause, (all, precision: string | undefined, verb: string | undefined, other) => {
    if (all === '%%') return '%';
    if (verb === undefined) {
      failed ??= fail(`could not parse formatting clause: unrecognized formatting clause "${other}"`);
      return '';
    }
    const value = items[used];
    if (value === undefined) {
      failed ??= fail(`index ${used} out of range`);
      return '';
    }
    used++;
    const shown = show(verb, value, precision === undefined ? 6 : Math.min(100, Number(precision)));
    if (typeof shown === 'string') return shown;
    failed ??= shown;
    return '';
  });
  if (failed) return failed;
  return used < items.length ? fail('too many arguments supplied to string.format') : text;
}

function show(verb: string, value: Value, precision: number): string | Failure {
  const whole = value instanceof Uint ? value.value : value;
  switch (verb) {
    case 's':
      return inText(value);
    case 'd':
      return typeof whole === 'bigint' ? String(whole) : wrong(verb, 'integers');
    case 'b':
      if (typeof whole === 'boolean') return whole ? '1' : '0';
      return typeof whole === 'bigint' ? whole.toString(2) : wrong(verb, 'integers and bools');
    case 'o':
      return typeof whole === 'bigint' ? whole.toString(8) : wrong(verb, 'integers');
    case 'x':
      return hex(whole, verb);
    case 'X': {
      const text = hex(whole, verb);
      return typeof text === 'string' ? text.toUpperCase() : text;
    }
    default:
      return double(verb, whole, precision);
  }
}

function hex(value: Value, verb: string): string | Failure {
  if (typeof value === 'bigint') return value.toString(16);
  if (typeof value === 'string') return Buffer.from(value).toString('hex');
  return value instanceof Uint8Array
    ? Buffer.from(value).toString('hex')
    : wrong(verb, 'integers, byte buffers and strings');
}

function double(verb: string, value: Value, precision: number): string | Failure {
  if (typeof value !== 'number' && typeof value !== 'bigint') return wrong(verb, 'doubles');
  const number = Number(value);
  if (Number.isNaN(number)) return 'NaN';
  if (!Number.isFinite(number)) return number > 0 ? '∞' : '-∞';
  if (verb === 'f') return number.toFixed(precision);
  const [mantissa = '', exponent = '0'] = number.toExponential(precision).split('e');
  const power = Number(exponent);
  const digits = String(Math.abs(power)).padStart(2, '0');
  return `${mantissa}×10${power < 0 ? '⁻' : ''}${[...digits].map((digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)]).join('')}`;
}

function wrong(verb: string, takes: string): Failure {
  return fail(`error during formatting: ${verb} clause can only be used on ${takes}`);
}

/** A value within a text; texts inside lists and maps are quoted. */
function inText(value: Value, nested = false): string | Failure {
  if (typeof value === 'string') return nested ? JSON.stringify(value) : value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  if (value instanceof TypeValue) return value.type;
  if (value instanceof List) return all(value.items, '[', ']');
  if (value instanceof MapValue) return mapText(value);
  const time = timeText(value);
  if (time !== undefined) return nested ? JSON.stringify(time) : time;
  if (value === null || typeof value !== 'object' || value instanceof Uint) return scalarText(value);
  if (value instanceof Opaque && typeof value.held === 'string') return value.held;
  return fail(
    'error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
  );
}

function all(items: readonly Value[], open: string, close: string): string | Failure {
  const texts: string[] = [];
  for (const item of items) {
    const text = inText(item, true);
    if (typeof text !== 'string') return text;
    texts.push(text);
  }
  return open + texts.join(', ') + close;
}

function mapText(map: MapValue): string | Failure {
  const texts: string[] = [];
  for (const [key, value] of map.entries()) {
    const keyText = inText(key, true);
    const text = inText(value, true);
    if (typeof keyText !== 'string') return keyText;
    if (typeof text !== 'string') return text;
    texts.push(`${keyText}:${text}`);
  }
  return `{${texts.sort().join(', ')}}`;
}
