import { isJsonObject } from '@slipway/api-machinery/json/json-value';

type PathStep =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'slice'; readonly from: number | undefined; readonly to: number | undefined }
  | { readonly kind: 'all' }
  | { readonly kind: 'deep'; readonly name: string }
  | { readonly kind: 'filter'; readonly left: readonly PathStep[]; readonly operator: string; readonly right: unknown };

/** A path into an object, as printer columns have it: `.status.conditions[?(@.type=="Ready")].status`. */
export type JsonPath = readonly PathStep[];

/** Text is not a path. */
export class JsonPathError extends Error {
  override readonly name = 'JsonPathError';
}

/** @throws JsonPathError */
export function parseJsonPath(text: string): JsonPath {
  const steps: PathStep[] = [];
  let rest = text.trim();
  const take = (pattern: RegExp): readonly string[] | undefined => {
    const found = pattern.exec(rest);
    if (found) rest = rest.slice(found[0].length);
    return found ?? undefined;
  };
  while (rest !== '') {
    const bracket = take(/^\[\s*/);
    if (bracket) {
      steps.push(readBracket(take, text));
      continue;
    }
    const deep = take(/^\.\.((?:\\.|[^.[\]\\])+)/);
    const field =
      deep ?? take(/^\.((?:\\.|[^.[\]\\])+)/) ?? (steps.length === 0 ? take(/^((?:\\.|[^.[\]\\])+)/) : undefined);
    const name = field?.[1]?.replace(/\\(.)/g, '$1');
    if (name === undefined) {
      if (take(/^\.(?=\[|$)/)) continue;
      throw new JsonPathError(`cannot read ${JSON.stringify(text)} as a path`);
    }
    if (deep) steps.push({ kind: 'deep', name });
    else steps.push(name === '*' ? { kind: 'all' } : { kind: 'field', name });
  }
  return steps;
}

function readBracket(take: (pattern: RegExp) => readonly string[] | undefined, text: string): PathStep {
  const quoted = take(/^(?:'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)")\s*\]/);
  if (quoted) return { kind: 'field', name: (quoted[1] ?? quoted[2] ?? '').replace(/\\(.)/g, '$1') };
  if (take(/^\*\s*\]/)) return { kind: 'all' };
  const index = take(/^(-?\d+)\s*\]/);
  if (index) return { kind: 'index', index: Number(index[1]) };
  const slice = take(/^(-?\d+)?\s*:\s*(-?\d+)?\s*\]/);
  if (slice) {
    return {
      kind: 'slice',
      from: slice[1] === undefined ? undefined : Number(slice[1]),
      to: slice[2] === undefined ? undefined : Number(slice[2]),
    };
  }
  const filter = take(/^\?\(\s*@([^=!<>)]*?)\s*(?:(==|!=|<=|>=|<|>)\s*(?:'([^']*)'|"([^"]*)"|([^\s)'"]+))\s*)?\)\s*\]/);
  if (!filter) throw new JsonPathError(`cannot read ${JSON.stringify(text)} as a path`);
  const [, left = '', operator = 'exists', single, double, bare] = filter;
  const right = single ?? double ?? (bare === undefined ? undefined : literal(bare));
  return { kind: 'filter', left: parseJsonPath(left), operator, right };
}

function literal(word: string): unknown {
  if (word === 'true' || word === 'false') return word === 'true';
  const number = Number(word);
  return Number.isNaN(number) ? word : number;
}

/** Values that may be looked at for one row of a table: what its columns lead to beyond that is not found. */
const maxLooks = 200_000;

/** What following paths has taken. */
export interface Effort {
  looks: number;
}

/** Values the path leads to, found as they are asked for; what is missing on the way leads nowhere. */
export function* valuesAt(path: JsonPath, object: unknown, effort: Effort = { looks: 0 }): Generator<unknown> {
  yield* valuesFrom(path, 0, object, effort);
}

function* valuesFrom(path: JsonPath, at: number, value: unknown, effort: Effort): Generator<unknown> {
  const step = path[at];
  if (!step) {
    yield value;
    return;
  }
  for (const next of follow(step, value, effort)) {
    if (++effort.looks > maxLooks) return;
    yield* valuesFrom(path, at + 1, next, effort);
  }
}

function follow(step: PathStep, value: unknown, effort: Effort): Iterable<unknown> {
  switch (step.kind) {
    case 'field':
      return isJsonObject(value) && Object.hasOwn(value, step.name) ? [value[step.name]] : [];
    case 'index': {
      const index = Array.isArray(value) && step.index < 0 ? value.length + step.index : step.index;
      return Array.isArray(value) && index in value ? [value[index]] : [];
    }
    case 'slice':
      return Array.isArray(value) ? value.slice(step.from, step.to) : [];
    case 'all':
      return contentsOf(value, effort);
    case 'deep':
      return fieldsWithin(step.name, value, effort);
    case 'filter':
      return Array.isArray(value) ? matching(step, value, effort) : [];
  }
}

function contentsOf(value: unknown, effort: Effort): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (!isJsonObject(value)) return [];
  const values = Object.values(value);
  effort.looks += values.length;
  return values;
}

function* fieldsWithin(name: string, value: unknown, effort: Effort): Generator<unknown> {
  if (++effort.looks > maxLooks) return;
  if (isJsonObject(value) && Object.hasOwn(value, name)) yield value[name];
  for (const inner of contentsOf(value, effort)) yield* fieldsWithin(name, inner, effort);
}

function* matching(
  step: Extract<PathStep, { kind: 'filter' }>,
  list: readonly unknown[],
  effort: Effort,
): Generator<unknown> {
  for (const element of list) {
    if (++effort.looks > maxLooks) return;
    if (passes(step, element, effort)) yield element;
  }
}

function passes(
  { left, operator, right }: Extract<PathStep, { kind: 'filter' }>,
  element: unknown,
  effort: Effort,
): boolean {
  const { value: actual, done } = valuesAt(left, element, effort).next() as IteratorResult<string | number | boolean>;
  if (operator === 'exists' || done) return operator === 'exists' && !done;
  const expected = right as string | number | boolean;
  switch (operator) {
    case '==':
      return actual === expected;
    case '!=':
      return actual !== expected;
    case '<':
      return actual < expected;
    case '<=':
      return actual <= expected;
    case '>':
      return actual > expected;
    default:
      return actual >= expected;
  }
}
