import { appendErrors } from '@slipway/api-machinery/errors/append-errors';
import type { FieldError } from '@slipway/api-machinery/errors/field-error';
import { maxErrors } from '@slipway/api-machinery/errors/status-errors';
import { type Resumable, runToCompletion } from '@slipway/api-machinery/event-loop/resumable';
import { isJsonObject } from '@slipway/api-machinery/json/json-value';
import { itemSchema, type JsonSchema, propertySchema, valueSchema } from '@slipway/api-machinery/schema/json-schema';
import { UnchangedValues } from '@slipway/api-machinery/schema/unchanged-values';
import { stringifyJson } from '@slipway/kube';
import { allowedValues } from './allowed-values.js';
import {
  checkFormat,
  checkNull,
  checkNumber,
  checkString,
  checkType,
  type Found,
  fieldOf,
  invalid,
  nothing,
  plain,
  type Spot,
  tooMany,
} from './check-scalar.js';
import { identityOf } from './json-identity.js';
import { TooMuchEffortError, ValidationEffort } from './validation-effort.js';

/** What was stored where a value stands now. */
interface Old {
  readonly value: unknown;
}

interface Options {
  /** Where the value stands, when it is not an object of its own. */
  readonly base?: string;
  /** What was stored. */
  readonly old?: unknown;
}

/**
 * Checks a value against a schema. Where an old object is given, a value that
 * did not change is taken as it is: a schema may have become stricter since.
 */
export function validateValue(value: unknown, schema: JsonSchema, options: Options = {}): FieldError[] {
  return runToCompletion(validatingValue(value, schema, options));
}

/** As `validateValue`, with yields. */
export function* validatingValue(
  value: unknown,
  schema: JsonSchema,
  { base, old }: Options = {},
): Resumable<FieldError[]> {
  const validation = new Validation();
  const errors: FieldError[] = [];
  const spot: Spot = { path: '', base, effort: validation.effort };
  try {
    yield* validation.check(value, schema, spot, old === undefined ? undefined : { value: old }, errors);
  } catch (error) {
    if (!(error instanceof TooMuchEffortError)) throw error;
    errors.push(plain('takes too long to be validated: its schema has too many alternatives for so many values', spot));
  }
  return errors;
}

/** Checks one object. Generators are made only for what holds more values: nearly all values are scalars. */
class Validation {
  readonly effort = new ValidationEffort();
  readonly #unchanged = new UnchangedValues();

  *check(value: unknown, schema: JsonSchema, spot: Spot, old: Old | undefined, errors: FieldError[]): Resumable<void> {
    if (this.effort.spend()) yield;
    if (old && spot.path !== '' && this.#unchanged.has(value, old.value)) return;
    if (value === null) {
      appendErrors(errors, checkNull(schema, spot));
      appendErrors(errors, this.#checkEnum(null, schema, spot));
      return;
    }
    appendErrors(errors, checkType(value, schema, spot));
    if (hasJunctions(schema)) yield* this.#checkJunctions(value, schema, spot, old, errors);
    if (typeof value === 'string') {
      if (value.length > charactersPerCheck && this.effort.spend(value.length / charactersPerCheck)) yield;
      appendErrors(errors, checkString(value, schema, spot));
      appendErrors(errors, checkFormat(value, schema, spot));
    }
    if (typeof value === 'number' || typeof value === 'bigint') appendErrors(errors, checkNumber(value, schema, spot));
    if (Array.isArray(value)) yield* this.#checkList(value, schema, spot, old, errors);
    appendErrors(errors, this.#checkEnum(value, schema, spot));
    if (isJsonObject(value)) yield* this.#checkObject(value, schema, spot, old, errors);
  }

  /** anyOf, oneOf, allOf and not. */
  *#checkJunctions(
    value: unknown,
    { anyOf = [], oneOf = [], allOf = [], not }: JsonSchema,
    spot: Spot,
    old: Old | undefined,
    errors: FieldError[],
  ): Resumable<void> {
    if (anyOf.length > 0) {
      const tried = yield* this.#results(value, anyOf, spot, old);
      if (tried.every(({ length }) => length > 0)) {
        errors.push(plain(`"${spot.path}" must validate at least one schema (anyOf)`, spot));
        appendErrors(errors, tried[0] ?? []);
      }
    }
    if (oneOf.length > 0) {
      const tried = yield* this.#results(value, oneOf, spot, old);
      const valid = tried.filter(({ length }) => length === 0).length;
      const must = `"${spot.path}" must validate one and only one schema (oneOf).`;
      if (valid === 0) {
        errors.push(plain(`${must} Found none valid`, spot));
        appendErrors(errors, tried[0] ?? []);
      } else if (valid > 1) errors.push(plain(`${must} Found ${valid} valid alternatives`, spot));
    }
    if (allOf.length > 0) {
      const tried = yield* this.#results(value, allOf, spot, old);
      const valid = tried.filter(({ length }) => length === 0).length;
      for (const errorsOfOne of tried) appendErrors(errors, errorsOfOne);
      if (valid < allOf.length) {
        const none = valid === 0 ? '. None validated' : '';
        errors.push(plain(`"${spot.path}" must validate all the schemas (allOf)${none}`, spot));
      }
    }
    if (not && (yield* this.#results(value, [not], spot, old))[0]?.length === 0) {
      errors.push(plain(`"${spot.path}" must not validate the schema (not)`, spot));
    }
  }

  *#results(
    value: unknown,
    schemas: readonly JsonSchema[],
    spot: Spot,
    old: Old | undefined,
  ): Resumable<readonly Found[]> {
    const results: Found[] = [];
    for (const schema of schemas) {
      const errors: FieldError[] = [];
      yield* this.check(value, schema, spot, old, errors);
      results.push(errors.length === 0 ? nothing : errors);
    }
    return results;
  }

  *#checkList(
    list: readonly unknown[],
    schema: JsonSchema,
    spot: Spot,
    old: Old | undefined,
    errors: FieldError[],
  ): Resumable<void> {
    const before = errors.length;
    const items = itemSchema(schema);
    if (items) {
      const earlier = olderElements(schema, old);
      for (const [index, element] of list.entries()) {
        if (errors.length - before >= maxErrors) break;
        yield* this.check(element, items, { ...spot, path: `${spot.path}[${index}]` }, earlier?.(element), errors);
      }
    }
    const { minItems, maxItems } = schema;
    if (minItems !== undefined && list.length < minItems) {
      errors.push(invalid(list.length, `should have at least ${minItems} items`, spot));
    }
    if (maxItems !== undefined && list.length > maxItems) errors.push(tooMany(list.length, maxItems, spot));
  }

  #checkEnum(value: unknown, schema: JsonSchema, spot: Spot): Found {
    if (!schema.enum || schema.enum.length === 0) return nothing;
    const allowed = allowedValues(schema, schema.enum);
    if (value !== null) {
      // A null is none of them, even where it is among them.
      const identity = identityOf(value);
      this.effort.spend(identity.length / charactersPerCheck);
      if (allowed.has(identity)) return nothing;
    }
    return [{ type: 'NotSupported', field: fieldOf(spot), value, detail: `supported values: ${allowed.text}` }];
  }

  *#checkObject(
    object: Record<string, unknown>,
    schema: JsonSchema,
    spot: Spot,
    old: Old | undefined,
    errors: FieldError[],
  ): Resumable<void> {
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
    const isFull = () => errors.length - before >= maxErrors;
    const others = valueSchema(schema);
    const stored = isJsonObject(old?.value) ? old.value : undefined;
    for (const name of names) {
      const inner = propertySchema(schema, name) ?? others;
      if (isFull()) break;
      if (!inner) continue;
      const earlier = stored && Object.hasOwn(stored, name) ? { value: stored[name] } : undefined;
      yield* this.check(object[name], inner, { ...spot, path: below(spot.path, name) }, earlier, errors);
    }
    if (this.effort.spend(required.length / namesPerCheck)) yield;
    for (const name of required) {
      if (isFull()) break;
      if (!Object.hasOwn(object, name)) {
        errors.push({ type: 'Required', field: fieldOf({ ...spot, path: below(spot.path, name) }), detail: '' });
      }
    }
  }
}

/** How much of other work takes as long as a check. */
const charactersPerCheck = 50;
const namesPerCheck = 10;

function hasJunctions({ anyOf, oneOf, allOf, not }: JsonSchema): boolean {
  return (anyOf ?? oneOf ?? allOf ?? not) !== undefined;
}

/** Finds the element of the old list that has the same keys; only lists that are maps have such. */
function olderElements(schema: JsonSchema, old: Old | undefined): ((element: unknown) => Old | undefined) | undefined {
  const keys = schema['x-kubernetes-list-map-keys'];
  if (schema['x-kubernetes-list-type'] !== 'map' || !keys || !Array.isArray(old?.value)) return undefined;
  const keyOf = (element: unknown) =>
    isJsonObject(element) ? stringifyJson(keys.map((key) => element[key] ?? null)) : undefined;
  const byKey = new Map(old.value.map((element) => [keyOf(element), element] as const));
  return (element) => {
    const key = keyOf(element);
    return key !== undefined && byKey.has(key) ? { value: byKey.get(key) } : undefined;
  };
}

function below(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
