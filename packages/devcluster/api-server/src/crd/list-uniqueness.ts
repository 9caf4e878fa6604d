import type { FieldError } from '@slipway/api-machinery/errors/field-error';
import { maxErrors } from '@slipway/api-machinery/errors/status-errors';
import { type Resumable, runToCompletion } from '@slipway/api-machinery/event-loop/resumable';
import { isJsonObject } from '@slipway/api-machinery/json/json-value';
import { itemSchema, type JsonSchema, propertySchema, valueSchema } from '@slipway/api-machinery/schema/json-schema';
import { identityOf } from './json-identity.js';
import { schemaFact } from './schema-fact.js';

/** Elements between two yields. */
const elementsBetweenYields = 200;

/** Checks that sets hold each value once, and maps written as lists each key once. */
export function validateListUniqueness(value: unknown, schema: JsonSchema): FieldError[] {
  return runToCompletion(validatingLists(value, schema));
}

/** As `validateListUniqueness`, with yields. */
export function* validatingLists(value: unknown, schema: JsonSchema): Resumable<FieldError[]> {
  const errors: FieldError[] = [];
  yield* visit(value, schema, '', errors);
  return errors;
}

function* visit(value: unknown, schema: JsonSchema, path: string, errors: FieldError[]): Resumable<void> {
  if (!hasUnique(schema)) return;
  if (Array.isArray(value)) {
    yield* duplicatesIn(value, schema, path, errors);
    const items = itemSchema(schema);
    if (!items || !hasUnique(items)) return;
    for (const [index, element] of value.entries()) {
      if (index % elementsBetweenYields === 0) yield;
      yield* visit(element, items, `${path}[${index}]`, errors);
    }
    return;
  }
  if (!isJsonObject(value)) return;
  for (const [index, name] of Object.keys(value).entries()) {
    if (index % elementsBetweenYields === elementsBetweenYields - 1) yield;
    const inner = propertySchema(schema, name) ?? valueSchema(schema);
    if (inner) yield* visit(value[name], inner, path === '' ? name : `${path}.${name}`, errors);
  }
}

const hasUnique = schemaFact(isUnique);

function isUnique(schema: JsonSchema): boolean {
  const type = schema['x-kubernetes-list-type'];
  return type === 'set' || type === 'map';
}

function* duplicatesIn(
  list: readonly unknown[],
  schema: JsonSchema,
  path: string,
  errors: FieldError[],
): Resumable<void> {
  if (!isUnique(schema)) return;
  const type = schema['x-kubernetes-list-type'];
  const keys = [...(schema['x-kubernetes-list-map-keys'] ?? [])].sort();
  const timesSeen = new Map<string, number>();
  for (const [index, element] of list.entries()) {
    if (index % elementsBetweenYields === elementsBetweenYields - 1) yield;
    if (errors.length >= maxErrors) break;
    if (type === 'map' && !isJsonObject(element)) continue;
    const identity = type === 'set' ? element : keysOf(element as Record<string, unknown>, keys);
    const shown = identityOf(identity);
    const times = (timesSeen.get(shown) ?? 0) + 1;
    timesSeen.set(shown, times);
    // A value is reported once, however often it comes again.
    if (times === 2) errors.push({ type: 'Duplicate', field: `${path}[${index}]`, value: identity, detail: '' });
  }
}

function keysOf(element: Record<string, unknown>, keys: readonly string[]): Record<string, unknown> {
  const present = keys.filter((key) => Object.hasOwn(element, key));
  return Object.fromEntries(present.map((key) => [key, element[key]]));
}
