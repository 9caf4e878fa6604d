import type { FieldError } from '@slipway/api-machinery/errors/field-error';
import { shown } from '@slipway/api-machinery/errors/field-errors';
import { stringFormats } from '@slipway/api-machinery/schema/formats';
import type { JsonSchema } from '@slipway/api-machinery/schema/json-schema';
import { compilePattern, matchingSteps } from '@slipway/api-machinery/schema/pattern';
import type { ValidationEffort } from './validation-effort.js';

/** Where a value is checked. */
export interface Spot {
  /** Path in the object, such as `spec.ports[0]`. */
  readonly path: string;
  /** What errors are put under: the field whose default is checked; undefined for an object. */
  readonly base: string | undefined;
  /** Shared by all spots of a value. */
  readonly effort: ValidationEffort;
}

/** What is wrong with a value. Nearly always nothing, and then no list is made of it. */
export type Found = readonly FieldError[];
export const nothing: Found = [];

/** A character takes as long as so many steps of a program, and one more for each of its instructions. */
const stepsPerCharacter = 20;

export function checkNull(schema: JsonSchema, spot: Spot): Found {
  const types = typesOf(schema);
  return types.length > 0 && !schema.nullable ? [wrongType(types.join(','), 'null', spot)] : nothing;
}

export function checkType(value: unknown, schema: JsonSchema, spot: Spot): Found {
  const types = typesOf(schema);
  const actual = typeName(value);
  const { format = '' } = schema;
  if (types.length === 0 && format === '') return nothing;
  const isText = typeof value === 'string' || Array.isArray(value);
  const fits =
    types.includes(actual) ||
    (actual === 'integer' && types.includes('number')) ||
    (actual === 'number' && types.includes('integer') && Number.isSafeInteger(value));
  // A format takes the word for values that are neither text nor list, known or not.
  if (format !== '' && !isText && !fits && formatName(value) !== format) {
    return [wrongType(format, formatName(value), spot)];
  }
  if (format !== '' && isText && !isNumeric(types)) return nothing;
  return fits ? nothing : [wrongType(types.join(','), actual, spot)];
}

function typesOf(schema: JsonSchema): readonly string[] {
  if (schema['x-kubernetes-int-or-string']) return ['integer', 'string'];
  return schema.type === undefined || schema.type === '' ? [] : [schema.type];
}

function isNumeric(types: readonly string[]): boolean {
  return types.includes('integer') || types.includes('number');
}

/** The type words of JSON schema; integers are those that fit into 64 bits. */
function typeName(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'bigint') return 'integer';
  if (typeof value === 'number') return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? 'integer' : 'number';
  return typeof value;
}

function formatName(value: unknown): string {
  if (typeof value !== 'number' && typeof value !== 'bigint') return '';
  return typeName(value) === 'integer' ? 'int64' : 'float64';
}

export function checkString(text: string, schema: JsonSchema, spot: Spot): Found {
  const { minLength, maxLength, pattern } = schema;
  if (maxLength !== undefined && isLonger(text, maxLength)) {
    const unit = maxLength === 1 ? 'byte' : 'bytes';
    return [{ type: 'TooLong', field: fieldOf(spot), detail: `may not be more than ${maxLength} ${unit}` }];
  }
  if (minLength !== undefined && minLength > 0 && !isLonger(text, minLength - 1)) {
    return [invalid(text, `should be at least ${minLength} chars long`, spot)];
  }
  if (pattern === undefined || pattern === '') return nothing;
  const expression = compilePattern(pattern);
  if (typeof expression === 'string') {
    return [invalid(text, `should match '${pattern}, but pattern is invalid: ${expression}'`, spot)];
  }
  if (!spot.effort.mayMatch(matchingSteps(expression, text.length) + stepsPerCharacter * text.length)) {
    return [invalid(text, `takes too long to be matched with '${pattern}'`, spot)];
  }
  return expression.matcher(text).find() ? nothing : [invalid(text, `should match '${pattern}'`, spot)];
}

/** Whether a text has more than so many characters, of which some are two units of a JavaScript string. */
function isLonger(text: string, most: number): boolean {
  if (text.length <= most) return false;
  if (text.length > 2 * most) return true;
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const isPair = (text.codePointAt(at) as number) > 0xffff;
    if (++count > most) return true;
    if (isPair) at++;
  }
  return false;
}

export function checkFormat(text: string, schema: JsonSchema, spot: Spot): Found {
  const { format = '' } = schema;
  const fits = stringFormats.get(format);
  return !fits || fits(text) ? nothing : [wrongType(format, text, spot)];
}

export function checkNumber(value: number | bigint, schema: JsonSchema, spot: Spot): Found {
  const errors: FieldError[] = [];
  const { multipleOf, maximum, minimum, exclusiveMaximum, exclusiveMinimum } = schema;
  if (multipleOf !== undefined) {
    if (multipleOf <= 0) {
      errors.push(
        // What Kubernetes shows as the value is the factor.
        invalid(multipleOf, `factor MultipleOf declared for ${spot.path} must be positive: ${multipleOf}`, spot, ''),
      );
    } else if (!isMultiple(value, multipleOf)) {
      errors.push(invalid(value, `should be a multiple of ${multipleOf}`, spot));
    }
  }
  if (maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum)) {
    errors.push(invalid(value, `should be less than ${exclusiveMaximum ? '' : 'or equal to '}${maximum}`, spot));
  }
  if (minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum)) {
    errors.push(invalid(value, `should be greater than ${exclusiveMinimum ? '' : 'or equal to '}${minimum}`, spot));
  }
  return [...errors, ...checkRange(value, schema, spot)];
}

/** Integers are divided as such; of others, and of factors that are none, the last digits do not count. */
function isMultiple(value: number | bigint, factor: number): boolean {
  if (typeName(value) === 'integer' && Number.isInteger(factor)) return BigInt(value) % BigInt(factor) === 0n;
  const times = factor < 1 ? (1 / factor) * Number(value) : Number(value) / factor;
  if (Math.abs(times) > Number.MAX_SAFE_INTEGER) return false;
  return Math.abs(times - Math.round(times)) < 1e-9 * Math.max(1, 2 * Math.abs(times));
}

function checkRange(value: number | bigint, schema: JsonSchema, spot: Spot): Found {
  const types = typesOf(schema);
  const { format = '' } = schema;
  const isInteger = types[0] === 'integer' && types.length === 1;
  const inRange = isInteger
    ? typeName(value) === 'integer' && (format !== 'int32' || Math.abs(Number(value) + 0.5) < 2 ** 31)
    : format !== 'float' || Math.abs(Number(value)) <= 3.4028234663852886e38;
  if (inRange) return nothing;
  const expected = format === '' ? '(default format)' : `with format ${format}`;
  return [plain(`Checked value must be of type ${types[0] ?? ''} ${expected} in ${spot.path}`, spot)];
}

export function fieldOf({ base, path }: Spot): string {
  if (base === undefined) return path === '' ? '<nil>' : path;
  return path === '' ? base : `${base}.${path}`;
}

function wrongType(expected: string, actual: string, spot: Spot): FieldError {
  const detail = `${spot.path} in body must be of type ${expected}: ${JSON.stringify(shown(actual))}`;
  return { type: 'TypeInvalid', field: fieldOf(spot), value: actual, detail };
}

export function invalid(value: unknown, what: string, spot: Spot, before = `${spot.path} in body `): FieldError {
  return { type: 'Invalid', field: fieldOf(spot), value, detail: `${before}${what}` };
}

export function tooMany(count: number, most: number, spot: Spot): FieldError {
  const detail = `must have at most ${most} ${most === 1 ? 'item' : 'items'}`;
  return { type: 'TooMany', field: fieldOf(spot), value: count, detail };
}

/** An error about the value that names no field of its own. */
export function plain(detail: string, spot: Spot): FieldError {
  return { type: 'Invalid', field: spot.base ?? '<nil>', value: '', detail };
}
