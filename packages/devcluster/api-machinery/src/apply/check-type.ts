import { firstThatFit } from '../errors/field-errors.js';
import { type Resumable, runToCompletion } from '../event-loop/resumable.js';
import { goText, goTypeOf } from '../json/go-text.js';
import { isJsonObject } from '../json/json-value.js';
import type { FieldSchema } from '../schema/object-schema.js';
import { itemType, keysOf, listElement, shapeOf } from './field-type.js';
import { describeElement, fieldElement } from './path-element.js';
import { ShapeError } from './shape-error.js';

/** Whether a list may hold the same element twice: stored objects may, what is applied may not. */
export type Duplicates = 'allowed' | 'refused';

/**
 * Checks that an object has the shape of its type, as the real server does
 * before it merges it: with its words, and the place: `.spec.replicas: expected ...`.
 *
 * @throws ShapeError
 */
export function checkType(type: FieldSchema, value: unknown, duplicates: Duplicates): void {
  runToCompletion(checkingType(type, value, duplicates));
}

/** As `checkType`, and yields. */
export function* checkingType(type: FieldSchema, value: unknown, duplicates: Duplicates): Resumable<void> {
  const problems = yield* problemsOf(type, value, { path: '', duplicates });
  const [first] = problems;
  if (first === undefined) return;
  if (problems.length === 1) throw new ShapeError(first);
  const told = firstThatFit(problems, ({ length }) => length);
  throw new ShapeError(['errors:', ...told.map((text) => `  ${text}`)].join('\n'));
}

/** The path of a value, and how strictly it is checked. */
interface ValueContext {
  readonly path: string;
  readonly duplicates: Duplicates;
}

const fine: readonly string[] = [];
/** Fields and elements checked between two yields. */
const betweenYields = 500;

function* problemsOf(type: FieldSchema, value: unknown, place: ValueContext): Resumable<readonly string[]> {
  if (value === null || value === undefined) return fine;
  const wrong = (text: string) => [place.path === '' ? text : `${place.path}: ${text}`];
  switch (shapeOf(type, value)) {
    case 'scalar': {
      const problem = scalarProblem(type, value);
      return problem === undefined ? fine : wrong(problem);
    }
    case 'list':
      return Array.isArray(value)
        ? yield* listProblems(type, value, place)
        : wrong(`expected list, got ${shown(value)}`);
    default:
      return isJsonObject(value) ? yield* mapProblems(type, value, place) : wrong(`expected map, got ${shown(value)}`);
  }
}

/** The first field that is not known ends it, as it does for the real server. */
function* mapProblems(
  type: FieldSchema,
  value: Readonly<Record<string, unknown>>,
  place: ValueContext,
): Resumable<readonly string[]> {
  const problems: string[] = [];
  let checked = 0;
  for (const name of Object.keys(value)) {
    if (++checked % betweenYields === 0) yield;
    const path = place.path + describeElement(fieldElement(name));
    const field = type.field(name);
    if (!field) return [...problems, `${path}: field not declared in schema`];
    if (isFineScalar(field, value[name])) continue;
    for (const problem of yield* problemsOf(field, value[name], { ...place, path })) problems.push(problem);
  }
  return problems;
}

function* listProblems(type: FieldSchema, list: readonly unknown[], place: ValueContext): Resumable<readonly string[]> {
  const keys = keysOf(type);
  const items = itemType(type);
  const problems: string[] = [];
  if (!keys) {
    for (const [index, item] of list.entries()) {
      if ((index + 1) % betweenYields === 0) yield;
      // Few elements have a problem, and only then it matters where they are.
      if (isFineScalar(items, item)) continue;
      const path = place.path + describeElement(`i:${index}`);
      for (const problem of yield* problemsOf(items, item, { ...place, path })) problems.push(problem);
    }
    return problems;
  }
  const seen = new Set<string>();
  for (const [index, item] of list.entries()) {
    if ((index + 1) % betweenYields === 0) yield;
    const element = elementOf(type, keys, item);
    if (element instanceof ShapeError) return [...problems, `${place.path}: element ${index}: ${element.message}`];
    if (seen.has(element) && place.duplicates === 'refused') {
      problems.push(`${place.path}: duplicate entries for key ${describeElement(element)}`);
    }
    seen.add(element);
    const path = place.path + describeElement(element);
    for (const problem of yield* problemsOf(items, item, { ...place, path })) problems.push(problem);
  }
  return problems;
}

function isFineScalar(type: FieldSchema, value: unknown): boolean {
  return typeof value !== 'object' && shapeOf(type, value) === 'scalar' && scalarProblem(type, value) === undefined;
}

function elementOf(type: FieldSchema, keys: readonly string[], item: unknown): string | ShapeError {
  try {
    return listElement(type, keys, item);
  } catch (error) {
    if (error instanceof ShapeError) return error;
    throw error;
  }
}

function scalarProblem(type: FieldSchema, value: unknown): string | undefined {
  switch (type.scalar) {
    case 'numeric':
      return typeof value === 'number' || typeof value === 'bigint'
        ? undefined
        : `expected numeric (int or float), got ${goTypeOf(value)}`;
    case 'string':
      if (typeof value === 'string') return undefined;
      return `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`;
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `expected boolean, got ${shown(value)}`;
    default:
      return typeof value === 'object' ? `expected any scalar, got ${shown(value)}` : undefined;
  }
}

/** A value as the messages print it: `&{map[a:1]}`. */
function shown(value: unknown): string {
  return `&{${goText(value)}}`;
}

/** A value in Go's own notation. */
function goSyntax(value: unknown): string {
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (!isJsonObject(value))
    return typeof value === 'string' ? JSON.stringify(value) : value === null ? 'interface {}(nil)' : String(value);
  const fields = Object.keys(value).sort();
  return `map[string]interface {}{${fields.map((name) => `${JSON.stringify(name)}:${goSyntax(value[name])}`).join(', ')}}`;
}
