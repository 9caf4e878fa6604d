import { type Functions, functions, patchFunctions } from '../library/functions.js';
import type { Overload } from '../library/overload.js';
import { type Call, type Node, qualifiedName } from '../parser/parse.js';
import type { Issue } from '../parser/syntax-error.js';
import {
  bool,
  bytes,
  type CelType,
  double,
  dyn,
  int,
  isDynamic,
  nullType,
  optionalOf,
  placed,
  showType,
  string,
  typeOf,
  uint,
} from '../values/cel-type.js';
import { escapedKeyword } from '../values/field-names.js';
import type { Shape } from '../values/shape.js';
import { Uint, type Value } from '../values/values.js';
import { acceptingOverloads, checkLogic, literalProblem, resultOfCall } from './check-call.js';
import { checkList, checkMap, checkStruct } from './check-collection.js';
import { formatProblem } from './check-format.js';
import { checkMacro } from './check-macro.js';
import { type Known, lost, type PartChecker, sizeOfShape, unbounded, type Variable } from './known.js';
import { type Structs, times, typeNames } from './named-types.js';

export interface Checked extends Known {
  readonly issues: readonly Issue[];
  /** The variables that are read. */
  readonly names: ReadonlySet<string>;
  /** Calls with arguments whose types are only known when they are there. */
  readonly dynamicCalls: ReadonlySet<Node>;
  /** Names of variables whose values are types. */
  readonly typeVariables: ReadonlySet<Node>;
  /** The ways to call that are left for each call; more than one when types are only known later. */
  readonly overloads: ReadonlyMap<Node, readonly Overload[]>;
}

/** Checks the types of an expression, and estimates what it costs at most. */
export function check(node: Node, variables: Readonly<Record<string, Variable>>, structs: Structs = times): Checked {
  const scope = Object.entries(variables).map(
    ([name, variable]) => [name, { ...variable, type: placed(variable.type, 'object') }] as const,
  );
  const checker = new Checker(new Map(scope), structs);
  const known = checker.check(node);
  const issues = checker.issues.length > 0 ? checker.issues : checker.literals;
  const { names, overloads, dynamicCalls, typeVariables } = checker;
  return { ...known, issues, names, overloads, dynamicCalls, typeVariables };
}

/** Parts within parts double what is wrong with them. */
const maxRepeated = 100;

/** Walks an expression once. Everything learnt is kept in its public fields. */
class Checker implements PartChecker {
  readonly issues: Issue[] = [];
  readonly literals: Issue[] = [];
  readonly names = new Set<string>();
  readonly overloads = new Map<Node, readonly Overload[]>();
  readonly dynamicCalls = new Set<Node>();
  readonly typeVariables = new Set<Node>();
  readonly self: Shape | undefined;
  readonly #structs: Structs;
  readonly #functions: Functions;
  #scope: ReadonlyMap<string, Variable>;
  #inFormat = 0;
  /** Types of what is in arguments of `format`. */
  readonly #types = new Map<Node, CelType>();

  constructor(scope: ReadonlyMap<string, Variable>, structs: Structs) {
    this.#scope = scope;
    this.self = scope.get('self')?.shape;
    this.#structs = structs;
    this.#functions = structs === times ? functions() : patchFunctions();
  }

  get isInFormat(): boolean {
    return this.#inFormat > 0;
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
    const known = bounded(this.#known(node));
    if (this.isInFormat) this.#types.set(node, known.type);
    if (node.kind === 'name' && known.type.name === 'type' && this.#scope.has(node.name)) this.typeVariables.add(node);
    return known;
  }

  checkTwice(node: Node): Known {
    const before = [this.issues.length, this.literals.length];
    const known = this.check(node);
    for (const [index, issues] of [this.issues, this.literals].entries()) {
      const found = issues.slice(before[index]);
      if (issues.length < maxRepeated) issues.push(...found);
    }
    return known;
  }

  #known(node: Node): Known {
    switch (node.kind) {
      case 'literal':
        return { type: literalType(node.value), cost: 0, size: literalSize(node.value), literal: node.value };
      case 'name':
        return this.#name(node.name) ?? this.undeclared(node.at, node.name);
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
        return checkList(this, node);
      case 'map':
        return checkMap(this, node);
      case 'struct':
        return checkStruct(this, node, this.#structs);
      case 'macro':
        return checkMacro(this, node);
    }
  }

  undeclared(at: number, name: string): Known {
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
    return { ...field, cost, type: node.optional || isOptional ? optionalOf(field.type) : field.type };
  }

  #field({ type, shape, entrySize }: Known, name: string, at: number): Known {
    if (type.name === 'optional_type')
      return this.#field({ type: type.params[0] ?? dyn, shape, cost: 0, size: 0 }, name, at);
    if (isDynamic(type)) return { type, cost: 0, size: unbounded };
    if (type.name === 'map') {
      // Kubernetes finds no bound for a value that is named like a field.
      const value = { type: type.params[1] ?? dyn, shape: undefined };
      return { ...value, cost: 0, size: entrySize ?? sizeOfShape(value) };
    }
    if (!type.fields) return this.complain(at, withoutFields(type));
    const known = type.fields.has(name) ? name : (escapedKeyword(name) ?? name);
    const field = type.fields.get(known);
    if (!field) return this.complain(at, `undefined field '${name}'`);
    const found = { type: placed(field, `${type.name}.${known}`), shape: shape?.fields?.get(known) };
    return { ...found, cost: 0, size: sizeOfShape(found) };
  }

  #call(node: Call): Known {
    const isFormat = node.name === 'format';
    if (isFormat) this.#inFormat++;
    const known = this.#callWithin(node);
    if (isFormat) this.#inFormat--;
    return known;
  }

  #callWithin(node: Call): Known {
    const args = node.args.map((arg) => this.check(arg));
    const special = checkLogic(this, node, args);
    if (special) return special;
    if (!node.target) return this.#resolve(node, node.name, args, false);
    const namespace = qualifiedName(node.target);
    if (namespace !== undefined && this.#functions.has(`${namespace}.${node.name}`)) {
      return this.#resolve(node, `${namespace}.${node.name}`, args, false);
    }
    return this.#resolve(node, node.name, [this.check(node.target), ...args], true);
  }

  noOverload(at: number, name: string, args: readonly Known[], isMethod = false): Known {
    const types = args.map(({ type }) => showType(type));
    const shown = isMethod ? `${types[0]}.(${types.slice(1).join(', ')})` : `(${types.join(', ')})`;
    return this.complain(at, `found no matching overload for '${name}' applied to '${shown}'`);
  }

  #resolve(node: Call, name: string, args: readonly Known[], isMethod: boolean): Known {
    const known = this.#functions.get(name);
    if (!known) return this.undeclared(node.at, name);
    const found = acceptingOverloads(known, args, isMethod);
    if (found.length === 0) return this.noOverload(node.at, name, args, isMethod);
    this.overloads.set(node, found);
    if (args.some(({ type }) => isDynamic(type))) this.dynamicCalls.add(node);
    const problem =
      name === 'format' ? formatProblem(node, (part) => this.#types.get(part) ?? dyn) : literalProblem(name, node);
    if (problem) this.literals.push(problem);
    return resultOfCall(name, found, args, this.self);
  }
}

/** Costs and sizes end where those of Kubernetes do. */
function bounded(known: Known): Known {
  const { cost, size, entrySize = 0 } = known;
  if (cost <= unbounded && size <= unbounded && entrySize <= unbounded) return known;
  const [most, longest, largest] = [cost, size, entrySize].map((each) => Math.min(each, unbounded));
  return {
    ...known,
    cost: most ?? 0,
    size: longest ?? 0,
    ...(known.entrySize !== undefined && { entrySize: largest ?? 0 }),
  };
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

/** Kubernetes declares types of its own as objects, whose fields nothing describes. */
function withoutFields(type: CelType): string {
  return type.name.startsWith('kubernetes.')
    ? `unexpected failed resolution of '${showType(type)}'`
    : `type '${showType(type)}' does not support field selection`;
}
