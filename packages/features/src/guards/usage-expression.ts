import type { MatchRequirement } from '../api/match-requirement.js';
import { type FieldPath, type PathStep, parseFieldPath } from '../references/field-path.js';
import type { UsedField } from '../references/used-field.js';

/** What an object that used a feature before may do with the value: anything, or only leave it as it is. */
export type Ratchet = 'InUse' | 'Unchanged';

/**
 * A CEL expression that holds when every use of `field` in `object` was one before:
 * list items are told apart by their name. For `kind: Object` (no field) the object
 * itself is the use. `oldObject` is null on create.
 */
export function onlyOldUses(field: UsedField | undefined, ratchet: Ratchet): string {
  if (!field) return 'oldObject != null';
  return `!(${usesIt('object', field)}) || (oldObject != null && (${onlyOld('object', 'oldObject', field, ratchet)}))`;
}

/** A CEL expression that holds for an object that has something at the path of `field`, other than its default. */
export function usesIt(base: string, field: UsedField, depth = 0): string {
  const { fields, list, rest } = split(field.path);
  const at = access(base, fields);
  if (!list) {
    return [`${at}.hasValue()`, ...differsFromDefault(`${at}.value()`, field)].join(' && ');
  }
  const item = `v${depth}`;
  const inside =
    rest.length > 0 ? [usesIt(item, { ...field, path: rest }, depth + 1)] : differsFromDefault(item, field);
  return `${at}.orValue([]).exists(${item}, ${[...named(item, list), ...inside].join(' && ') || 'true'})`;
}

function differsFromDefault(value: string, { defaultValue }: UsedField): readonly string[] {
  return defaultValue === undefined ? [] : [`${value} != ${literal(defaultValue)}`];
}

/** A CEL expression for the conditions of a reference; undefined when it has none. */
export function matchExpression(requirements: readonly MatchRequirement[] | undefined): string | undefined {
  if (!requirements?.length) return undefined;
  return requirements.map(requirement).join(' && ');
}

function requirement({ path, operator, values = [] }: MatchRequirement): string {
  const parsed = parseFieldPath(path);
  if (operator === 'Exists') return usesIt('object', { path: parsed });
  if (operator === 'DoesNotExist') return `!${usesIt('object', { path: parsed })}`;
  const among = isAmong('object', parsed, `[${values.map(text).join(', ')}]`);
  return operator === 'In' ? among : `!${among}`;
}

function isAmong(base: string, path: FieldPath, values: string, depth = 0): string {
  const { fields, list, rest } = split(path);
  const at = access(base, fields);
  const isIn = (value: string) => `string(${value}) in ${values}`;
  if (!list) return `(${at}.hasValue() && ${isIn(`${at}.value()`)})`;
  const item = `v${depth}`;
  const inside = rest.length > 0 ? isAmong(item, rest, values, depth + 1) : isIn(item);
  return `${at}.orValue([]).exists(${[item, [...named(item, list), inside].join(' && ')].join(', ')})`;
}

function onlyOld(base: string, old: string, field: UsedField, ratchet: Ratchet, depth = 0): string {
  const { fields, list, rest } = split(field.path);
  const [now, before] = [access(base, fields), access(old, fields)];
  if (!list) return ratchet === 'InUse' ? usesIt(old, field) : `${before} == ${now}`;
  const [item, known] = [`v${depth}`, `o${depth}`];
  if (rest.length === 0) {
    const isUse = [...named(item, list), ...differsFromDefault(item, field)];
    const isOld = `${before}.orValue([]).exists(${known}, ${known} == ${item})`;
    return `${now}.orValue([]).all(${item}, ${either(isUse, isOld)})`;
  }
  const inner = { ...field, path: rest };
  const isUse = [...named(item, list), usesIt(item, inner, depth + 1)];
  const isSame = `${known}.?name.orValue('') == ${item}.?name.orValue('')`;
  const wasUse = `${isSame} && (${onlyOld(item, known, inner, ratchet, depth + 1)})`;
  return `${now}.orValue([]).all(${item}, ${either(isUse, `${before}.orValue([]).exists(${known}, ${wasUse})`)})`;
}

/** Holds when one of `tests` does not, or `then` does. */
function either(tests: readonly string[], then: string): string {
  return tests.length === 0 ? then : `!(${tests.join(' && ')}) || ${then}`;
}

function named(item: string, list: Exclude<PathStep, { kind: 'field' }>): readonly string[] {
  if (list.kind === 'every') return [];
  return [`string(${item}[?${text(list.key)}].orValue('')) == ${text(list.value)}`];
}

interface Split {
  readonly fields: readonly string[];
  readonly list?: Exclude<PathStep, { kind: 'field' }>;
  readonly rest: FieldPath;
}

/** The fields up to the first list, the list, and what is below its items. */
function split(path: FieldPath): Split {
  const at = path.findIndex((step) => step.kind !== 'field');
  const list = path[at];
  const fields = (at < 0 ? path : path.slice(0, at)).flatMap((step) => (step.kind === 'field' ? [step.name] : []));
  return list && list.kind !== 'field' ? { fields, list, rest: path.slice(at + 1) } : { fields, rest: [] };
}

/** Words that CEL keeps for itself; as fields they need quotes. */
const reserved = new Set(
  'as break const continue else false for function if import in let loop null package namespace return true var void while'.split(
    ' ',
  ),
);

/** `object.?spec.?a`: an optional, empty as soon as one of the fields is not there. */
function access(base: string, fields: readonly string[]): string {
  const steps = fields.map((name) =>
    /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !reserved.has(name) ? `.?${name}` : `[?${text(name)}]`,
  );
  return fields.length === 0 ? `optional.of(${base})` : `${base}${steps.join('')}`;
}

/** A CEL string literal. */
export function text(value: string): string {
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`;
}

/** A value of JSON as a CEL literal. */
function literal(value: unknown): string {
  if (typeof value === 'string') return text(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, field]) => `${text(key)}: ${literal(field)}`)
    .join(', ')}}`;
}
