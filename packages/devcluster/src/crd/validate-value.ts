import { isDeepStrictEqual } from 'node:util';
import { stringifyJson } from '@slipway/kube';
import { appendErrors } from '../registry/append-errors.js';
import type { FieldError } from '../registry/resource-definition.js';
import { mostErrors } from '../registry/status-errors.js';
import { stringFormats } from './formats.js';
import { isObject, itemSchema, type JsonSchema, propertySchema, valueSchema } from './json-schema.js';
import { compilePattern, matchingSteps } from './pattern.js';

/** Steps that matching the texts of one value with their patterns may take: the worst patterns take 300 ms for that. */
const mostSteps = 10_000_000;

/** Where a value is checked, and what stood there before. */
interface Spot {
  /** Path in the object, such as `spec.ports[0]`. */
  readonly path: string;
  /** What errors are put under: the field whose default is checked; undefined for an object. */
  readonly base: string | undefined;
  /** The value that was stored, when there was one that this one takes the place of. */
  readonly old: { readonly value: unknown } | undefined;
  /** Shared by all spots of a value. */
  readonly matching: { steps: number };
}

/**
 * Checks a value against a schema. Where an old object is given, a value that
 * did not change is taken as it is: a schema may have become stricter since.
 * @param base where the value stands, when it is not an object of its own
 */
export function validateValue(
  value: unknown,
  schema: JsonSchema,
  options: { readonly base?: string; readonly old?: unknown } = {},
): FieldError[] {
  const { base, old } = options;
  const before = old === undefined ? undefined : { value: old };
  return [...found(value, schema, { path: '', base, matching: { steps: 0 }, old: before })];
}

/** What is wrong with a value. Nearly always nothing, and then no list is made of it. */
type Found = readonly FieldError[];
const nothing: Found = [];

function found(value: unknown, schema: JsonSchema, spot: Spot): Found {
  const errors: FieldError[] = [];
  check(value, schema, spot, errors);
  return errors;
}

function check(value: unknown, schema: JsonSchema, spot: Spot, errors: FieldError[]): void {
  if (spot.old && spot.path !== '' && isDeepStrictEqual(spot.old.value, value)) return;
  if (value === null) {
    appendErrors(errors, checkNull(schema, spot));
    appendErrors(errors, checkEnum(null, schema, spot));
    return;
  }
  appendErrors(errors, checkType(value, schema, spot));
  appendErrors(errors, checkJunctions(value, schema, spot));
  if (typeof value === 'string') {
    appendErrors(errors, checkString(value, schema, spot));
    appendErrors(errors, checkFormat(value, schema, spot));
  }
  if (typeof value === 'number' || typeof value === 'bigint') appendErrors(errors, checkNumber(value, schema, spot));
  if (Array.isArray(value)) checkList(value, schema, spot, errors);
  appendErrors(errors, checkEnum(value, schema, spot));
  if (isObject(value)) checkObject(value, schema, spot, errors);
}

function checkNull(schema: JsonSchema, spot: Spot): Found {
  const types = typesOf(schema);
  return types.length > 0 && !schema.nullable ? [wrongType(types.join(','), 'null', spot)] : nothing;
}

function checkType(value: unknown, schema: JsonSchema, spot: Spot): Found {
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

/** anyOf, oneOf, allOf and not. */
function checkJunctions(value: unknown, schema: JsonSchema, spot: Spot): Found {
  const { anyOf, oneOf, allOf, not } = schema;
  if (!anyOf && !oneOf && !allOf && !not) return nothing;
  const errors: FieldError[] = [];
  const results = (schemas: readonly JsonSchema[]) => schemas.map((inner) => found(value, inner, spot));

  if (anyOf && anyOf.length > 0) {
    const tried = results(anyOf);
    if (tried.every(({ length }) => length > 0)) {
      errors.push(plain(`"${spot.path}" must validate at least one schema (anyOf)`, spot), ...(tried[0] ?? []));
    }
  }
  if (oneOf && oneOf.length > 0) {
    const tried = results(oneOf);
    const valid = tried.filter(({ length }) => length === 0).length;
    const must = `"${spot.path}" must validate one and only one schema (oneOf).`;
    if (valid === 0) errors.push(plain(`${must} Found none valid`, spot), ...(tried[0] ?? []));
    else if (valid > 1) errors.push(plain(`${must} Found ${valid} valid alternatives`, spot));
  }
  if (allOf && allOf.length > 0) {
    const tried = results(allOf);
    const valid = tried.filter(({ length }) => length === 0).length;
    for (const errorsOfOne of tried) appendErrors(errors, errorsOfOne);
    if (valid < allOf.length) {
      const none = valid === 0 ? '. None validated' : '';
      errors.push(plain(`"${spot.path}" must validate all the schemas (allOf)${none}`, spot));
    }
  }
  if (not && found(value, not, spot).length === 0) {
    errors.push(plain(`"${spot.path}" must not validate the schema (not)`, spot));
  }
  return errors;
}

function checkString(text: string, schema: JsonSchema, spot: Spot): Found {
  const { minLength, maxLength, pattern } = schema;
  const length = minLength === undefined && maxLength === undefined ? 0 : [...text].length;
  if (maxLength !== undefined && length > maxLength) {
    const unit = maxLength === 1 ? 'byte' : 'bytes';
    return [{ type: 'TooLong', field: fieldOf(spot), detail: `may not be more than ${maxLength} ${unit}` }];
  }
  if (minLength !== undefined && length < minLength) {
    return [invalid(text, `should be at least ${minLength} chars long`, spot)];
  }
  if (pattern === undefined || pattern === '') return nothing;
  const expression = compilePattern(pattern);
  if (typeof expression === 'string') {
    return [invalid(text, `should match '${pattern}, but pattern is invalid: ${expression}'`, spot)];
  }
  spot.matching.steps += matchingSteps(expression, text.length);
  if (spot.matching.steps > mostSteps) return [invalid(text, `takes too long to be matched with '${pattern}'`, spot)];
  return expression.matcher(text).find() ? nothing : [invalid(text, `should match '${pattern}'`, spot)];
}

function checkFormat(text: string, schema: JsonSchema, spot: Spot): Found {
  const { format = '' } = schema;
  const fits = stringFormats.get(format);
  return !fits || fits(text) ? nothing : [wrongType(format, text, spot)];
}

function checkNumber(value: number | bigint, schema: JsonSchema, spot: Spot): Found {
  const errors: FieldError[] = [];
  const { multipleOf, maximum, minimum, exclusiveMaximum, exclusiveMinimum } = schema;
  if (multipleOf !== undefined) {
    if (multipleOf <= 0) {
      errors.push(
        invalid(value, `factor MultipleOf declared for ${spot.path} must be positive: ${multipleOf}`, spot, ''),
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

function checkList(list: readonly unknown[], schema: JsonSchema, spot: Spot, errors: FieldError[]): void {
  const before = errors.length;
  const { base, matching } = spot;
  const items = itemSchema(schema);
  if (items) {
    const earlier = olderElements(schema, spot);
    for (const [index, element] of list.entries()) {
      if (errors.length - before >= mostErrors) break;
      check(element, items, { path: `${spot.path}[${index}]`, base, matching, old: earlier?.(element) }, errors);
    }
  }
  const { minItems, maxItems } = schema;
  if (minItems !== undefined && list.length < minItems) {
    errors.push(invalid(list.length, `should have at least ${minItems} items`, spot));
  }
  if (maxItems !== undefined && list.length > maxItems) errors.push(tooMany(list.length, maxItems, spot));
}

/** Finds the element of the old list that has the same keys; only lists that are maps have such. */
function olderElements(
  schema: JsonSchema,
  spot: Spot,
): ((element: unknown) => { readonly value: unknown } | undefined) | undefined {
  const keys = schema['x-kubernetes-list-map-keys'];
  if (schema['x-kubernetes-list-type'] !== 'map' || !keys || !Array.isArray(spot.old?.value)) return undefined;
  const keyOf = (element: unknown) =>
    isObject(element) ? stringifyJson(keys.map((key) => element[key] ?? null)) : undefined;
  const byKey = new Map(spot.old.value.map((element) => [keyOf(element), element] as const));
  return (element) => {
    const key = keyOf(element);
    return key !== undefined && byKey.has(key) ? { value: byKey.get(key) } : undefined;
  };
}

function checkEnum(value: unknown, schema: JsonSchema, spot: Spot): Found {
  const allowed = schema.enum;
  if (!allowed || allowed.length === 0) return nothing;
  // A null is none of them, even where it is among them.
  if (value !== null && allowed.some((one) => isDeepStrictEqual(one, value))) return nothing;
  const texts = allowed.map((one) => JSON.stringify(typeof one === 'string' ? one : stringifyJson(one)));
  return [{ type: 'NotSupported', field: fieldOf(spot), value, detail: `supported values: ${texts.join(', ')}` }];
}

function checkObject(object: Record<string, unknown>, schema: JsonSchema, spot: Spot, errors: FieldError[]): void {
  const names = Object.keys(object);
  const { minProperties, maxProperties, required = [] } = schema;
  if (minProperties !== undefined && names.length < minProperties) {
    errors.push(invalid(names.length, `should have at least ${minProperties} properties`, spot));
    return;
  }
  if (maxProperties !== undefined && names.length > maxProperties) {
    errors.push(tooMany(names.length, maxProperties, spot));
    return;
  }
  const before = errors.length;
  const { base, matching } = spot;
  const others = valueSchema(schema);
  const stored = isObject(spot.old?.value) ? spot.old.value : undefined;
  for (const name of names) {
    const inner = propertySchema(schema, name) ?? others;
    if (errors.length - before >= mostErrors) break;
    if (!inner) continue;
    const old = stored && Object.hasOwn(stored, name) ? { value: stored[name] } : undefined;
    check(object[name], inner, { path: below(spot.path, name), base, matching, old }, errors);
  }
  for (const name of required) {
    if (!Object.hasOwn(object, name)) {
      errors.push({ type: 'Required', field: fieldOf({ ...spot, path: below(spot.path, name) }), detail: '' });
    }
  }
}

function below(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function fieldOf({ base, path }: Spot): string {
  if (base === undefined) return path === '' ? '<nil>' : path;
  return path === '' ? base : `${base}.${path}`;
}

function wrongType(expected: string, actual: string, spot: Spot): FieldError {
  const detail = `${spot.path} in body must be of type ${expected}: ${JSON.stringify(actual)}`;
  return { type: 'TypeInvalid', field: fieldOf(spot), value: actual, detail };
}

function invalid(value: unknown, what: string, spot: Spot, before = `${spot.path} in body `): FieldError {
  return { type: 'Invalid', field: fieldOf(spot), value, detail: `${before}${what}` };
}

function tooMany(count: number, most: number, spot: Spot): FieldError {
  const detail = `must have at most ${most} ${most === 1 ? 'item' : 'items'}`;
  return { type: 'TooMany', field: fieldOf(spot), value: count, detail };
}

/** An error about the value that names no field of its own. */
function plain(detail: string, spot: Spot): FieldError {
  return { type: 'Invalid', field: spot.base ?? '<nil>', value: '', detail };
}
