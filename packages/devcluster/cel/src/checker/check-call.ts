import { compilePattern } from '@slipway/api-machinery/schema/pattern';
import { asTimestamp } from '../library/operators.js';
import type { Overload } from '../library/overload.js';
import { parseDuration, parseTimestamp } from '../library/times.js';
import type { Call } from '../parser/parse.js';
import {
  type Bindings,
  bool,
  type CelType,
  dyn,
  fits,
  isDynamic,
  isOpen,
  open,
  sameType,
  showType,
  substitute,
  typeOf,
} from '../values/cel-type.js';
import { Failure } from '../values/failure.js';
import type { Shape } from '../values/shape.js';
import { type Known, lost, type PartChecker, shapeOfValues, sizeOfShape, totalCost } from './known.js';

/** Checks an operator that may skip some of its operands; undefined for all other calls. */
export function checkLogic(checker: PartChecker, call: Call, args: readonly Known[]): Known | undefined {
  const { name, at } = call;
  if (name !== '_&&_' && name !== '_||_' && name !== '_?_:_') return undefined;
  const [first, second, third] = args as [Known, Known, Known];
  if (name !== '_?_:_') {
    const fit = args.map((known, index) => demandBool(checker, known, call.args[index]?.at ?? at));
    if (fit.includes(false)) return lost;
    return { type: bool, cost: first.cost + second.cost, size: 1 };
  }
  const bindings: Bindings = new Map();
  const variable: CelType = { name: 'T', params: [], isVariable: true };
  const agree = fits(variable, second.type, bindings) && fits(variable, third.type, bindings);
  if (!isBool(first) || !agree) return checker.noOverload(at, name, args);
  return {
    type: substitute(variable, bindings),
    cost: first.cost + Math.max(second.cost, third.cost),
    size: Math.max(second.size, third.size),
  };
}

function isBool({ type }: Known): boolean {
  return isDynamic(type) || type.name === 'bool';
}

/** Complains unless it is a truth value, and returns whether it is. */
export function demandBool(checker: PartChecker, known: Known, at: number): boolean {
  const is = isBool(known);
  if (!is) checker.complain(at, `expected type 'bool' but found '${showType(known.type)}'`);
  return is;
}

/** The overloads of a function that accept the arguments. */
export function acceptingOverloads(
  overloads: readonly Overload[],
  args: readonly Known[],
  isMethod: boolean,
): readonly Overload[] {
  const accepting = overloads.filter((one) => one.isMethod === isMethod && resultType(one, args) !== undefined);
  // The first says what is still open.
  return args.some(({ type }) => isOpen(type)) ? accepting.slice(0, 1) : accepting;
}

/** Types of which Kubernetes knows that it costs little whether two of their values are equal; not so whether they differ. */
const compared = new Set('net.IP net.CIDR kubernetes.Quantity kubernetes.Semver kubernetes.NamedFormat'.split(' '));

/** Returns the type and bounds of the result of calling one of these overloads. */
export function resultOfCall(
  name: string,
  overloads: readonly Overload[],
  args: readonly Known[],
  self: Shape | undefined,
): Known {
  const [first, second] = args;
  const isIndex = name === '_[_]';
  const shape = isIndex && first ? shapeOfValues(first, self) : undefined;
  const results = overloads.map((one) => resultType(one, args) ?? dyn);
  const type = name === 'type' && args[0] ? typeOf(args[0].type) : onlyType(results);
  const sizes = {
    of: args.map(({ size }) => size),
    element: elementSize(args[0]),
    literals: args.map(({ literal }) => literal),
  };
  const isCheap = name === '_==_' && args.every(({ type }) => compared.has(type.name));
  const own = isCheap ? 1 : Math.max(...overloads.map((one) => number(one.cost?.(sizes) ?? 1)));
  const computed = (isIndex ? [first?.entrySize] : overloads.map((one) => one.resultSize?.(sizes))).filter(
    (one) => one !== undefined,
  );
  const size = computed.length > 0 ? Math.max(...computed) : sizeOfShape({ type, shape });
  const isSum = name === '_+_' && first?.entrySize !== undefined && second?.entrySize !== undefined;
  const entrySize = isSum ? Math.max(first.entrySize, second.entrySize) : undefined;
  return { type, shape, cost: totalCost(args) + own, size: number(size), entrySize };
}

/** The type of a call is only known when all ways to call have the same. */
function onlyType([first = dyn, ...others]: readonly CelType[]): CelType {
  return others.every((other) => sameType(first, other)) ? first : dyn;
}

/** Says why a literal can never be an argument of a function. */
export function literalProblem(name: string, { args: [literal] }: Call): { at: number; message: string } | undefined {
  if (literal?.kind !== 'literal') return undefined;
  const { value, at } = literal;
  if (name === 'timestamp' && typeof value === 'bigint' && asTimestamp(value * 1_000_000_000n) instanceof Failure)
    return { at, message: 'invalid timestamp argument' };
  if (typeof value !== 'string') return undefined;
  const isInvalid =
    (name === 'matches' && typeof compilePattern(value) === 'string') ||
    (name === 'duration' && !parseDuration(value)) ||
    (name === 'timestamp' && !parseTimestamp(value));
  return isInvalid ? { at, message: `invalid ${name} argument` } : undefined;
}

function resultType({ params, result }: Overload, args: readonly Known[]): CelType | undefined {
  if (params.length !== args.length) return undefined;
  const bindings: Bindings = new Map();
  const accepts = params.every((param, index) => fits(param, args[index]?.type ?? dyn, bindings));
  return accepts ? substitute(result, bindings) : undefined;
}

/** Unbounded times zero is zero. */
function number(value: number): number {
  return Number.isNaN(value) ? 0 : value;
}

function elementSize(known: Known | undefined): number {
  const element = known?.type.name === 'list' ? known.type.params[0] : undefined;
  if (!element || element === open) return 0;
  return element.name === 'string' || element.name === 'bytes' || isDynamic(element)
    ? sizeOfShape({ type: element, shape: known?.shape?.element })
    : 0;
}
