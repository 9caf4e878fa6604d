import { isObject } from './json-schema.js';

type Step =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'slice'; readonly from: number | undefined; readonly to: number | undefined }
  | { readonly kind: 'all' }
  | { readonly kind: 'deep'; readonly name: string }
  | { readonly kind: 'filter'; readonly left: readonly Step[]; readonly operator: string; readonly right: unknown };

/** A path into an object, as printer columns have it: `.status.conditions[?(@.type=="Ready")].status`. */
export type JsonPath = readonly Step[];

/** Text is not a path. */
export class JsonPathError extends Error {
  override readonly name = 'JsonPathError';
}

/** @throws JsonPathError */
export function parseJsonPath(text: string): JsonPath {
  const steps: Step[] = [];
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

function readBracket(take: (pattern: RegExp) => readonly string[] | undefined, text: string): Step {
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

/** Values the path leads to; what is missing on the way leads nowhere. */
export function valuesAt(path: JsonPath, object: unknown): unknown[] {
  return path.reduce<unknown[]>((values, step) => values.flatMap((value) => follow(step, value)), [object]);
}

function follow(step: Step, value: unknown): unknown[] {
  switch (step.kind) {
    case 'field':
      return isObject(value) && Object.hasOwn(value, step.name) ? [value[step.name]] : [];
    case 'index': {
      const index = Array.isArray(value) && step.index < 0 ? value.length + step.index : step.index;
      return Array.isArray(value) && index in value ? [value[index]] : [];
    }
    case 'slice':
      return Array.isArray(value) ? value.slice(step.from, step.to) : [];
    case 'all':
      if (Array.isArray(value)) return value;
      return isObject(value) ? Object.values(value) : [];
    case 'deep': {
      const inner = Array.isArray(value) || isObject(value) ? Object.values(value) : [];
      return [...follow({ kind: 'field', name: step.name }, value), ...inner.flatMap((one) => follow(step, one))];
    }
    case 'filter':
      return Array.isArray(value) ? value.filter((element) => passes(step, element)) : [];
  }
}

function passes({ left, operator, right }: Extract<Step, { kind: 'filter' }>, element: unknown): boolean {
  const found = valuesAt(left, element);
  if (operator === 'exists' || found.length === 0) return operator === 'exists' && found.length > 0;
  const actual = found[0] as string | number | boolean;
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
