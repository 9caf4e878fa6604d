import { compilePattern } from '@slipway/api-machinery/schema/pattern';
import { type Functions, functions, patchFunctions } from '../library/functions.js';
import type { Overload } from '../library/overload.js';
import { parseDuration, parseTimestamp } from '../library/times.js';
import { type Call, type Node, qualifiedName } from '../parser/parse.js';
import type { Issue } from '../parser/syntax-error.js';
import {
  type Bindings,
  bool,
  bytes,
  type CelType,
  celType,
  commonType,
  double,
  duration,
  dyn,
  errorType,
  fits,
  int,
  isDynamic,
  listOf,
  mapOf,
  nullType,
  optionalOf,
  sameType,
  showType,
  string,
  substitute,
  timestamp,
  typeOf,
  uint,
} from '../values/cel-type.js';
import { Uint, type Value } from '../values/values.js';
import { checkMacro } from './check-macro.js';
import { type Known, type PartChecker, sizeOfShape, type Variable } from './known.js';

export interface Checked extends Known {
  readonly issues: readonly Issue[];
  /** The variables that are read. */
  readonly names: ReadonlySet<string>;
  /** The ways to call that are left for each call; more than one when types are only known later. */
  readonly overloads: ReadonlyMap<Node, readonly Overload[]>;
}

/** Checks the types of an expression, and estimates what it costs at most. */
export function check(node: Node, variables: Readonly<Record<string, Variable>>, structs: Structs = times): Checked {
  const checker = new Checker(new Map(Object.entries(variables)), structs);
  const known = checker.check(node);
  const issues = checker.issues.length > 0 ? checker.issues : checker.literals;
  return { ...known, issues, names: checker.names, overloads: checker.overloads };
}

/** A type whose values expressions can make: `Name{field: value}`. */
export interface Struct {
  readonly type: CelType;
  /** The type of a field, undefined when there is none of that name. */
  readonly field: (name: string) => CelType | undefined;
}

/** The types that expressions can make values of, by name. */
export type Structs = (name: string) => Struct | undefined;

const secondsAndNanos: Struct['field'] = (name) => (name === 'seconds' || name === 'nanos' ? int : undefined);

/** Points in time and spans of it: what every expression can make. */
export const times: Structs = (name) => {
  const type = typeNames.get(name);
  return type === timestamp || type === duration ? { type, field: secondsAndNanos } : undefined;
};

/** Types that have a name of their own in expressions. */
export const typeNames: ReadonlyMap<string, CelType> = new Map([
  ...[bool, int, uint, double, string, bytes].map((type) => [type.name, type] as const),
  ['null_type', nullType],
  ['list', listOf(dyn)],
  ['map', mapOf(dyn, dyn)],
  ['type', typeOf(dyn)],
  ['google.protobuf.Timestamp', timestamp],
  ['google.protobuf.Duration', duration],
  ['optional_type', optionalOf(dyn)],
  ['net.IP', celType('net.IP')],
  ['net.CIDR', celType('net.CIDR')],
  ['kubernetes.Quantity', celType('kubernetes.Quantity')],
  ['kubernetes.Semver', celType('kubernetes.Semver')],
  ['kubernetes.URL', celType('kubernetes.URL')],
]);

const lost: Known = { type: errorType, cost: 0, size: 0 };

/** Walks an expression once. Everything learnt is kept in its public fields. */
class Checker implements PartChecker {
  readonly issues: Issue[] = [];
  /** Complaints about literals, which are made only when there are no others. */
  readonly literals: Issue[] = [];
  readonly names = new Set<string>();
  readonly overloads = new Map<Node, readonly Overload[]>();
  readonly #structs: Structs;
  readonly #functions: Functions;
  #scope: ReadonlyMap<string, Variable>;
  #inFormat = 0;

  constructor(scope: ReadonlyMap<string, Variable>, structs: Structs) {
    this.#scope = scope;
    this.#structs = structs;
    this.#functions = structs === times ? functions() : patchFunctions();
  }

  complain(at: number, message: string): Known {
    this.issues.push({ at, message });
    return lost;
  }

  /** Checks with more variables. */
  within(variables: Iterable<readonly [string, Variable]>, node: Node): Known {
    const outer = this.#scope;
    this.#scope = new Map([...outer, ...variables]);
    const known = this.check(node);
    this.#scope = outer;
    return known;
  }

  check(node: Node): Known {
    switch (node.kind) {
      case 'literal':
        return { type: literalType(node.value), cost: 0, size: literalSize(node.value) };
      case 'name':
        return this.#name(node.name) ?? this.#undeclared(node.at, node.name);
      case 'select':
        return this.#select(node);
      case 'has': {
        const of = this.check(node.of);
        this.#field(of, node.field, node.at);
        return { type: bool, cost: of.cost, size: 1 };
      }
      case 'call':
        return this.#call(node);
      case 'list':
        return this.#list(node);
      case 'map':
        return this.#map(node);
      case 'struct':
        return this.#struct(node);
      case 'macro':
        return checkMacro(this, node);
    }
  }

  #undeclared(at: number, name: string): Known {
    return this.complain(at, `undeclared reference to '${name}' (in container '')`);
  }

  #name(name: string): Known | undefined {
    const variable = this.#scope.get(name);
    if (variable) {
      this.names.add(name);
      return { ...variable, cost: 1, size: sizeOfShape(variable) };
    }
    const type = typeNames.get(name);
    return type && { type: typeOf(type), cost: 1, size: 1 };
  }

  #select(node: Extract<Node, { kind: 'select' }>): Known {
    const name = qualifiedName(node);
    if (name !== undefined && this.#scope.has(name)) return this.#name(name) as Known;
    const root = name?.split('.')[0] ?? '';
    if (name !== undefined && !this.#scope.has(root) && typeNames.has(name)) return this.#name(name) as Known;
    const of = this.check(node.of);
    const isOptional = of.type.name === 'optional_type';
    const inner = isOptional ? { ...of, type: of.type.params[0] ?? dyn } : of;
    const field = this.#field(inner, node.field, node.at);
    const cost = of.cost + (inner.type.name === 'map' || inner.type.fields ? 1 : 0);
    const wrapped = node.optional || isOptional;
    return { ...field, cost, type: wrapped && field.type !== errorType ? optionalOf(field.type) : field.type };
  }

  #field({ type, shape }: Known, name: string, at: number): Known {
    if (type.name === 'optional_type')
      return this.#field({ type: type.params[0] ?? dyn, shape, cost: 0, size: 0 }, name, at);
    if (isDynamic(type)) return { type, cost: 0, size: Number.POSITIVE_INFINITY };
    if (type.name === 'map') {
      const value = { type: type.params[1] ?? dyn, shape: shape?.element };
      return { ...value, cost: 0, size: sizeOfShape(value) };
    }
    if (!type.fields) return this.complain(at, `type '${showType(type)}' does not support field selection`);
    const field = type.fields.get(name);
    if (!field) return this.complain(at, `undefined field '${name}'`);
    const found = { type: field, shape: shape?.fields?.get(name) };
    return { ...found, cost: 0, size: sizeOfShape(found) };
  }

  #call(node: Call): Known {
    const isFormat = node.name === 'format' && node.target !== undefined;
    if (isFormat) this.#inFormat++;
    const args = node.args.map((arg) => this.check(arg));
    if (isFormat) this.#inFormat--;
    const special = this.#logic(node, args);
    if (special) return special;
    if (!node.target) return this.#resolve(node, node.name, args, false);
    const namespace = qualifiedName(node.target);
    if (namespace !== undefined && this.#functions.has(`${namespace}.${node.name}`)) {
      return this.#resolve(node, `${namespace}.${node.name}`, args, false);
    }
    return this.#resolve(node, node.name, [this.check(node.target), ...args], true);
  }

  /** The operators that do not evaluate everything. */
  #logic({ name, at }: Call, args: readonly Known[]): Known | undefined {
    const [first = lost, second = lost, third = lost] = args;
    const isBool = ({ type }: Known) => isDynamic(type) || type.name === 'bool';
    if (name === '_&&_' || name === '_||_') {
      if (!isBool(first) || !isBool(second)) return this.noOverload(at, name, args);
      return { type: bool, cost: first.cost + second.cost, size: 1 };
    }
    if (name !== '_?_:_') return undefined;
    const bindings: Bindings = new Map();
    const variable: CelType = { name: 'T', params: [], isVariable: true };
    const agree = fits(variable, second.type, bindings) && fits(variable, third.type, bindings);
    if (!isBool(first) || !agree) return this.noOverload(at, name, args);
    return {
      type: substitute(variable, bindings),
      cost: first.cost + Math.max(second.cost, third.cost),
      size: Math.max(second.size, third.size),
    };
  }

  noOverload(at: number, name: string, args: readonly Known[], isMethod = false): Known {
    const types = args.map(({ type }) => showType(type));
    const shown = isMethod ? `${types[0]}.(${types.slice(1).join(', ')})` : `(${types.join(', ')})`;
    return this.complain(at, `found no matching overload for '${name}' applied to '${shown}'`);
  }

  #resolve(node: Call, name: string, args: readonly Known[], isMethod: boolean): Known {
    const known = this.#functions.get(name);
    if (!known) return this.#undeclared(node.at, name);
    const found: Overload[] = [];
    const results: CelType[] = [];
    for (const one of known) {
      if (one.isMethod !== isMethod || one.params.length !== args.length) continue;
      const bindings: Bindings = new Map();
      if (!one.params.every((param, index) => fits(param, args[index]?.type ?? dyn, bindings))) continue;
      found.push(one);
      results.push(substitute(one.result, bindings));
    }
    if (found.length === 0) return this.noOverload(node.at, name, args, isMethod);
    this.overloads.set(node, found);
    this.#checkLiteral(name, node);
    const shape = name === '_[_]' ? args[0]?.shape?.element : undefined;
    const type = name === 'type' && args[0] ? typeOf(args[0].type) : commonType(results);
    const sizes = { of: args.map(({ size }) => size), element: elementSize(args[0]) };
    const outcome = { type, shape };
    const cost =
      args.reduce((sum, arg) => sum + arg.cost, 0) + Math.max(...found.map((one) => number(one.cost?.(sizes) ?? 1)));
    const computed = found.map((one) => one.resultSize?.(sizes));
    const size = computed.every((one) => one !== undefined)
      ? Math.max(...(computed as number[]))
      : sizeOfShape(outcome);
    return { ...outcome, cost, size: number(size) };
  }

  /** Literals that a function will never take are wrong before anything runs. */
  #checkLiteral(name: string, { args, target }: Call): void {
    const literal = target && name === 'matches' ? args[0] : name === 'matches' ? args[1] : args[0];
    if (literal?.kind !== 'literal' || typeof literal.value !== 'string') return;
    const { value, at } = literal;
    const wrong =
      (name === 'matches' && typeof compilePattern(value) === 'string') ||
      (name === 'duration' && !parseDuration(value)) ||
      (name === 'timestamp' && !parseTimestamp(value));
    if (wrong) this.literals.push({ at, message: `invalid ${name} argument` });
  }

  #list({ items }: Extract<Node, { kind: 'list' }>): Known {
    const known = items.map(({ value, optional }) => this.#element(value, optional));
    const type = listOf(
      this.#common(
        known,
        items.map(({ value }) => value.at),
      ),
    );
    return { type, cost: 10 + sum(known), size: items.length };
  }

  #map({ entries }: Extract<Node, { kind: 'map' }>): Known {
    const keys = entries.map(({ key }) => this.check(key));
    const values = entries.map(({ value, optional }) => this.#element(value, optional));
    const key = this.#common(
      keys,
      entries.map((entry) => entry.key.at),
    );
    const value = this.#common(
      values,
      entries.map((entry) => entry.value.at),
    );
    return { type: mapOf(key, value), cost: 30 + sum(keys) + sum(values), size: entries.length };
  }

  /** An element that may be missing has the type of what it may hold. */
  #element(node: Node, optional: boolean): Known {
    const known = this.check(node);
    if (!optional || isDynamic(known.type)) return known;
    if (known.type.name === 'optional_type') return { ...known, type: known.type.params[0] ?? dyn };
    return this.complain(
      node.at,
      `expected type 'optional_type(${showType(known.type)})' but found '${showType(known.type)}'`,
    );
  }

  /** Literals hold values of one type, except where a text is made of them. */
  #common(known: readonly Known[], at: readonly number[]): CelType {
    const [first] = known;
    const odd = known.findIndex(
      ({ type }) => first && !isDynamic(type) && !isDynamic(first.type) && !sameType(type, first.type),
    );
    if (odd > 0 && first && this.#inFormat === 0) {
      const message = `expected type '${showType(first.type)}' but found '${showType(known[odd]?.type ?? dyn)}'`;
      this.literals.push({ at: at[odd] ?? 0, message });
    }
    return commonType(known.map(({ type }) => type));
  }

  #struct({ name, entries, at }: Extract<Node, { kind: 'struct' }>): Known {
    const struct = this.#structs(name);
    const known = entries.map(({ value, optional }) => this.#element(value, optional));
    if (!struct) return this.#undeclared(at, name);
    for (const [index, { key, at: where }] of entries.entries()) {
      const field = key.kind === 'literal' ? String(key.value) : '';
      const wanted = struct.field(field);
      const given = known[index]?.type ?? dyn;
      if (!wanted) this.complain(where, `undefined field '${field}'`);
      else if (!fits(wanted, given, new Map())) {
        const types = `'${showType(wanted)}' but provided type is '${showType(given)}'`;
        this.complain(where, `expected type of field '${field}' is ${types}`);
      }
    }
    return { type: struct.type, cost: 40 + sum(known), size: 1 };
  }
}

function sum(known: readonly Known[]): number {
  return known.reduce((total, { cost }) => total + cost, 0);
}

/** Nothing times without bound is nothing. */
function number(value: number): number {
  return Number.isNaN(value) ? 0 : value;
}

function elementSize(known: Known | undefined): number {
  const element = known?.type.name === 'list' ? known.type.params[0] : undefined;
  if (!element) return 0;
  return element.name === 'string' || element.name === 'bytes' || isDynamic(element)
    ? sizeOfShape({ type: element, shape: known?.shape?.element })
    : 0;
}

function literalType(value: Value): CelType {
  if (value === null) return nullType;
  if (typeof value === 'bigint') return int;
  if (typeof value === 'number') return double;
  if (typeof value === 'boolean') return bool;
  if (value instanceof Uint) return uint;
  return typeof value === 'string' ? string : bytes;
}

function literalSize(value: Value): number {
  if (typeof value === 'string') return [...value].length;
  return value instanceof Uint8Array ? value.length : 1;
}
