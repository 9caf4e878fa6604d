import type { FieldError } from '@slipway/api-machinery/errors/field-error';
import { omitted } from '@slipway/api-machinery/errors/field-errors';
import type { Resumable } from '@slipway/api-machinery/event-loop/resumable';
import { isJsonObject } from '@slipway/api-machinery/json/json-value';
import { itemSchema, type JsonSchema, valueSchema } from '@slipway/api-machinery/schema/json-schema';
import { UnchangedValues } from '@slipway/api-machinery/schema/unchanged-values';
import { stringifyJson } from '@slipway/kube';
import { Failure, fail, Meter, OverBudgetError } from '../values/failure.js';
import type { Shape } from '../values/shape.js';
import { none, Optional, type Value } from '../values/values.js';
import type { CompiledExpression, Rule } from './compile-rule.js';
import { type CompiledRule, compiledRules } from './compiled-rules.js';
import { shapeOf } from './schema-shape.js';

/** Units that one evaluation may cost. */
const maxPerCall = 1_000_000;
/**
 * Units that the rules of one object may cost together. Upstream allows five times
 * as much; here everybody else would wait meanwhile, for half a second and more.
 */
const maxPerObject = 2_000_000;
/** Longest message that an expression may make, in bytes. */
const longestMessage = 5 * 1024;

/** A schema with its rules ready to run; undefined where there are none in it. */
interface RuleNode {
  readonly schema: JsonSchema;
  readonly isRoot: boolean;
  /** A rule that does not compile is kept, and refuses: a definition with such was stored by a server that did not look. */
  readonly rules: readonly CompiledRule[];
  readonly properties: ReadonlyMap<string, RuleNode>;
  readonly values: RuleNode | undefined;
  readonly items: RuleNode | undefined;
}

/** Values, and units of rules, between two yields. */
const betweenYields = 200;
const unitsBetweenYields = 20_000;

/** Units for finding out what to warn of: less, since the same rules are asked once more. */
const maxForWarnings = 500_000;

/** The rules of a schema, to be asked about objects. */
export interface RuleValidator {
  /** What is wrong with an object that fits its schema. @param old what is stored, undefined on create */
  errors(object: unknown, old: unknown): Resumable<readonly FieldError[]>;
  /** What is wrong with an object that stays as it is, transitions too. */
  errorsOfKept(object: unknown): Resumable<readonly FieldError[]>;
  /** What is wrong with values that an update leaves as they were, and that is let pass therefore. */
  tolerated(object: unknown, old: unknown): Resumable<readonly FieldError[]>;
}

/** Compiles the rules of a schema; undefined when it has none. */
export function ruleValidator(schema: JsonSchema): RuleValidator | undefined {
  const root = prepare(schema, true);
  if (!root) return undefined;
  const visiting = function* (walk: Visit, object: unknown, old: unknown): Resumable<Visit> {
    yield* walk.node(root, object, { path: '', old: old === undefined ? undefined : { value: old } });
    return walk;
  };
  return {
    *errors(object, old) {
      return (yield* visiting(new Visit('changed', maxPerObject), object, old)).errors;
    },
    *errorsOfKept(object) {
      return (yield* visiting(new Visit('all', maxPerObject), object, object)).errors;
    },
    *tolerated(object, old) {
      const { isOver, errors } = yield* visiting(new Visit('unchanged', maxForWarnings), object, old);
      return isOver ? [] : errors;
    },
  };
}

function prepare(schema: JsonSchema, isRoot: boolean): RuleNode | undefined {
  const rules = compiledRules(schema, isRoot);
  const properties = new Map<string, RuleNode>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const node = prepare(property, false);
    if (node) properties.set(name, node);
  }
  const values = valueSchema(schema);
  const items = itemSchema(schema);
  const below = { values: values && prepare(values, false), items: items && prepare(items, false) };
  const isEmpty = rules.length === 0 && properties.size === 0 && !below.values && !below.items;
  return isEmpty ? undefined : { schema, isRoot, rules, properties, ...below };
}

/** Where a value stands, and what stood there before. */
interface Spot {
  readonly path: string;
  readonly old: { readonly value: unknown } | undefined;
  /** Whether what this is part of did not change; asked where the value itself had no counterpart before. */
  readonly isUnchangedAbove?: () => boolean;
}

type About = 'changed' | 'unchanged' | 'all';

/** One walk over one object. */
class Visit {
  readonly errors: FieldError[] = [];
  /** The budget is gone: no other rule is asked. */
  isOver = false;
  readonly #about: About;
  #left: number;
  readonly #unchanged = new UnchangedValues();
  #nodes = 0;
  #leftAtYield: number;

  /** @param about the values whose violations are told; transitions are always changes */
  constructor(about: About, units: number) {
    this.#about = about;
    this.#left = units;
    this.#leftAtYield = units;
  }

  *node(node: RuleNode, value: unknown, spot: Spot): Resumable<void> {
    if (++this.#nodes % betweenYields === 0) yield;
    if (this.isOver || value === null || value === undefined) return;
    const isUnchanged = once(() =>
      spot.old ? this.#unchanged.has(value, spot.old.value) : (spot.isUnchangedAbove?.() ?? false),
    );
    const self = once(() => (shapeAt(node) as Shape).read(value));
    const oldSelf = readOld(node, spot);
    for (const rule of node.rules) {
      if (this.isOver) return;
      this.#ask(rule, { node, value, spot, self, oldSelf, isUnchanged });
      if (this.#isSliceSpent()) yield;
    }
    yield* this.#below(node, value, spot.path, spot.old?.value, isUnchanged);
  }

  *#below(
    node: RuleNode,
    value: unknown,
    path: string,
    old: unknown,
    isUnchangedAbove: () => boolean,
  ): Resumable<void> {
    if (Array.isArray(value)) {
      const { items } = node;
      if (!items) return;
      const earlier = earlierElements(node.schema, old);
      for (const [index, item] of value.entries()) {
        yield* this.node(items, item, { path: `${path}[${index}]`, old: earlier(item), isUnchangedAbove });
      }
      return;
    }
    if (!isJsonObject(value)) return;
    const before = node.schema['x-kubernetes-map-type'] !== 'atomic' && isJsonObject(old) ? old : {};
    const earlier = (name: string) => (Object.hasOwn(before, name) ? { value: before[name] } : undefined);
    for (const [name, property] of node.properties) {
      if (!Object.hasOwn(value, name)) continue;
      const at = path === '' ? name : `${path}.${name}`;
      yield* this.node(property, value[name], { path: at, old: earlier(name), isUnchangedAbove });
    }
    if (!node.values) return;
    for (const [name, inner] of Object.entries(value)) {
      if (node.properties.has(name)) continue;
      yield* this.node(node.values, inner, { path: `${path}[${name}]`, old: earlier(name), isUnchangedAbove });
    }
  }

  #isSliceSpent(): boolean {
    if (this.#leftAtYield - this.#left < unitsBetweenYields) return false;
    this.#leftAtYield = this.#left;
    return true;
  }

  #ask(rule: CompiledRule, asked: Asked): void {
    const { spot } = asked;
    if (typeof rule.expression === 'string') {
      const detail = `rule compile error: ${rule.expression}`;
      this.errors.push({ type: 'Invalid', field: fieldOf(spot.path), value: asked.node.schema.type ?? '', detail });
      return;
    }
    const { usesOldSelf, program } = rule.expression;
    if (usesOldSelf && !spot.old && !rule.optionalOldSelf) return;
    if (this.#about === 'unchanged' && (usesOldSelf || !asked.isUnchanged())) return;
    const values = [asked.self(), asked.oldSelf(rule)];
    const answer = this.#run(program, values, asked, rule);
    if (answer === undefined || answer === true) return;
    // A value that was there before the rule is left alone; a transition is always looked at.
    if (this.#about === 'changed' && !usesOldSelf && asked.isUnchanged()) return;
    if (answer instanceof Failure) {
      this.errors.push({
        type: 'Invalid',
        field: fieldOf(spot.path),
        value: asked.node.schema.type ?? '',
        detail: failureText(answer, rule),
      });
      return;
    }
    this.errors.push(violation(rule, asked, this.#message(rule, values)));
  }

  /** The answer of a rule; undefined when it costs too much, after which no other is asked. */
  #run(program: CompiledExpression['program'], values: readonly Value[], asked: Asked, rule: Rule): Value | undefined {
    const meter = new Meter(Math.min(maxPerCall, this.#left));
    try {
      return program.run(values, meter);
    } catch (error) {
      // A value of a type that only shows when it is there, such as null.
      if (error instanceof TypeError || error instanceof RangeError) return fail('no such overload');
      if (!(error instanceof OverBudgetError)) throw error;
      this.isOver = true;
      const field = fieldOf(asked.spot.path);
      const isCall = this.#left >= maxPerCall;
      this.errors.push(
        isCall
          ? {
              type: 'Invalid',
              field,
              value: asked.node.schema.type ?? '',
              detail: `'${error.message}': no further validation rules will be run due to call cost exceeds limit for rule: ${toldBy(rule)}`,
            }
          : {
              type: 'Invalid',
              field,
              value: omitted,
              detail: 'validation failed due to running out of cost budget, no further validation rules will be run',
            },
      );
      return undefined;
    } finally {
      this.#left -= meter.spent;
    }
  }

  /** What the expression for the message makes, if that is a message. */
  #message(rule: CompiledRule, values: readonly Value[]): string {
    const given = rule.message.trim() === '' ? `failed rule: ${toldBy(rule)}` : rule.message.trim();
    // Upstream gives messages the bare old value while it types them for an optional one: they fail.
    const isMistyped =
      rule.optionalOldSelf && typeof rule.messageProgram === 'object' && rule.messageProgram.usesOldSelf;
    if (typeof rule.messageProgram !== 'object' || isMistyped) return given;
    const meter = new Meter(Math.min(maxPerCall, this.#left));
    try {
      const made = rule.messageProgram.program.run(values, meter);
      if (typeof made !== 'string' || made.trim() === '' || /[\n\r]/.test(made.trim())) return given;
      const trimmed = made.trim();
      return Buffer.byteLength(trimmed) > longestMessage ? given : trimmed;
    } catch (error) {
      if (error instanceof TypeError || error instanceof RangeError) return given;
      if (!(error instanceof OverBudgetError)) throw error;
      return given;
    } finally {
      this.#left -= meter.spent;
    }
  }
}

interface Asked {
  readonly node: RuleNode;
  readonly value: unknown;
  readonly spot: Spot;
  readonly self: () => Value;
  readonly oldSelf: (rule: Rule) => Value;
  readonly isUnchanged: () => boolean;
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function shapeAt({ schema, isRoot }: RuleNode): Shape | undefined {
  return shapeOf(schema, isRoot);
}

function readOld(node: RuleNode, { old }: Spot): (rule: Rule) => Value {
  const read = once((): Value => {
    const shape = old && old.value !== null ? shapeAt(node) : undefined;
    return shape && old ? shape.read(old.value) : null;
  });
  return (rule) => {
    if (!rule.optionalOldSelf) return read();
    return old && old.value !== null ? new Optional(read()) : none;
  };
}

/** Finds the element of the old list with the same keys; only lists with keys have such. */
function earlierElements(schema: JsonSchema, old: unknown): (item: unknown) => { readonly value: unknown } | undefined {
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  if (schema['x-kubernetes-list-type'] !== 'map' || keys.length === 0 || !Array.isArray(old)) return () => undefined;
  const keyOf = (item: unknown) => (isJsonObject(item) ? stringifyJson(keys.map((key) => item[key] ?? null)) : '');
  const byKey = new Map(old.map((item) => [keyOf(item), { value: item as unknown }]));
  return (item) => byKey.get(keyOf(item));
}

function toldBy(rule: Rule): string {
  return (rule.message === '' ? rule.rule : rule.message).trim();
}

function failureText({ message }: Failure, rule: Rule): string {
  if (!message.startsWith('no such overload')) return `${message} evaluating rule: ${toldBy(rule)}`;
  return `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${toldBy(rule)}`;
}

function violation(rule: Rule, { node, value, spot }: Asked, detail: string): FieldError {
  const { type } = node.schema;
  const field = fieldOf(below(spot.path, rule.fieldPath));
  const shown = type === 'object' || type === 'array' ? omitted : value;
  switch (rule.reason) {
    case 'FieldValueForbidden':
      return { type: 'Forbidden', field, detail };
    case 'FieldValueRequired':
      return { type: 'Required', field, detail };
    case 'FieldValueDuplicate':
      return { type: 'Duplicate', field, value: shown, detail: '' };
    default:
      return { type: 'Invalid', field, value: shown, detail };
  }
}

/** `.a['b']` below `spec` is `spec.a[b]`; a key that comes first keeps a dot before it, as upstream has it. */
function below(path: string, fieldPath: string): string {
  if (fieldPath === '') return path;
  const names = fieldPath
    .replace(/\['((?:\\.|[^'\\])*)'\]/g, (_, key: string) => `[${key.replace(/\\(.)/g, '$1')}]`)
    .replace(/^\./, '');
  return path === '' ? names : `${path}.${names}`;
}

function fieldOf(path: string): string {
  return path === '' ? '<nil>' : path;
}
