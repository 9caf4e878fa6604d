import { isJsonObject } from '@slipway/api-machinery/json/json-value';
import type { Placeholders } from './placeholders.js';

type Json = Record<string, unknown>;

/**
 * Lists the differences of two answers, one line each; empty when they are equal. With
 * `subset`, what the recording leaves out is not compared: some bodies were cut.
 */
export function differences(
  expected: unknown,
  actual: unknown,
  known: Placeholders,
  subset: boolean,
  path = '',
): string[] {
  if (typeof expected === 'string' && typeof actual === 'string') {
    return known.matches(expected, actual) || bothAges(expected, actual)
      ? []
      : [`${path}: expected ${show(expected)}, got ${show(actual)}`];
  }
  if (Array.isArray(expected) && Array.isArray(actual)) {
    if (path.endsWith('.managedFields'))
      return differences(byWriter(expected), byWriter(actual), known, subset, `${path}[]`);
    if (expected.length !== actual.length) {
      return [`${path}: expected ${expected.length} elements, got ${actual.length}`];
    }
    return expected.flatMap((item, index) => differences(item, actual[index], known, subset, `${path}[${index}]`));
  }
  if (isJsonObject(expected) && isJsonObject(actual)) {
    return objectDifferences(expected, actual, known, subset, path);
  }
  return Object.is(expected, actual) ? [] : [`${path}: expected ${show(expected)}, got ${show(actual)}`];
}

function objectDifferences(recorded: Json, actual: Json, known: Placeholders, subset: boolean, path: string): string[] {
  let expected = recorded;
  const names = new Set([...Object.keys(expected), ...(subset ? [] : Object.keys(actual))]);
  if (isCollection(expected) && isJsonObject(actual.metadata)) {
    // How far a list is depends on what else was written: other writers were there.
    const { metadata } = expected;
    known.matches(String(metadata.resourceVersion), String(actual.metadata.resourceVersion));
    expected = { ...expected, metadata: { ...metadata, resourceVersion: actual.metadata.resourceVersion } };
  }
  return [...names].flatMap((name) =>
    Object.hasOwn(expected, name) && Object.hasOwn(actual, name)
      ? differences(expected[name], actual[name], known, subset, `${path}.${name}`)
      : [
          `${path}.${name}: ${Object.hasOwn(expected, name) ? `expected ${show(expected[name])}` : `unexpected ${show(actual[name])}`}`,
        ],
  );
}

function isCollection(value: Json): value is Json & { metadata: Json } {
  if (!isJsonObject(value.metadata) || value.metadata.resourceVersion === undefined) return false;
  return (
    Array.isArray(value.items) ||
    Array.isArray(value.rows) ||
    (isJsonObject(value.metadata.annotations) === true &&
      Object.hasOwn(value.metadata.annotations, 'k8s.io/initial-events-end'))
  );
}

/** Entries are in the order of their times, and time passes differently here. */
function byWriter(entries: readonly unknown[]): Json {
  const keyOf = ({ manager, operation, apiVersion, subresource }: Json) =>
    [operation, manager, apiVersion, subresource].join(' ');
  return Object.fromEntries(entries.map((entry) => [keyOf(Object(entry)), entry]));
}

/** Ages in tables depend on when one looks. */
function bothAges(expected: string, actual: string): boolean {
  const age = /^(\d+[smhdy])+$/;
  return age.test(expected) && age.test(actual);
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length > 300 ? `${text.slice(0, 300)}...` : text;
}
