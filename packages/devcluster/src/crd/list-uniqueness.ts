import type { FieldError } from '../registry/resource-definition.js';
import { mostErrors } from '../registry/status-errors.js';
import { isObject, itemSchema, type JsonSchema, propertySchema, valueSchema } from './json-schema.js';
import { schemaFact } from './schema-fact.js';

/** Checks that sets hold each value once, and maps written as lists each key once. */
export function validateListUniqueness(value: unknown, schema: JsonSchema | undefined, path = ''): FieldError[] {
  if (!schema || !hasUnique(schema)) return [];
  if (Array.isArray(value)) {
    const items = itemSchema(schema);
    return [
      ...duplicatesIn(value, schema, path),
      ...value.flatMap((element, index) => validateListUniqueness(element, items, `${path}[${index}]`)),
    ];
  }
  if (!isObject(value)) return [];
  return Object.keys(value).flatMap((name) =>
    validateListUniqueness(
      value[name],
      propertySchema(schema, name) ?? valueSchema(schema),
      path === '' ? name : `${path}.${name}`,
    ),
  );
}

const hasUnique = schemaFact(isUnique);

function isUnique(schema: JsonSchema): boolean {
  const type = schema['x-kubernetes-list-type'];
  return type === 'set' || type === 'map';
}

function duplicatesIn(list: readonly unknown[], schema: JsonSchema, path: string): FieldError[] {
  if (!isUnique(schema)) return [];
  const type = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const timesSeen = new Map<string, number>();
  const errors: FieldError[] = [];
  for (const [index, element] of list.entries()) {
    if (errors.length >= mostErrors) break;
    if (type === 'map' && !isObject(element)) continue;
    const identity = type === 'set' ? element : keysOf(element as Record<string, unknown>, keys);
    const shown =
      isObject(identity) || Array.isArray(identity) ? sortedJson(identity) : `${typeof identity} ${identity}`;
    const times = (timesSeen.get(shown) ?? 0) + 1;
    timesSeen.set(shown, times);
    // A value is reported once, however often it comes again.
    if (times === 2) errors.push({ type: 'Duplicate', field: `${path}[${index}]`, value: identity, detail: '' });
  }
  return errors;
}

function keysOf(element: Record<string, unknown>, keys: readonly string[]): Record<string, unknown> {
  const present = [...keys].sort().filter((key) => Object.hasOwn(element, key));
  return Object.fromEntries(present.map((key) => [key, element[key]]));
}

/** Equal for values that are equal, whatever the order of their names. */
function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner === 'bigint') return `${inner}n`;
    return isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner;
  });
}
