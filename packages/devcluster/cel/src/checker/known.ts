import type { Node } from '../parser/parse.js';
import type { Issue } from '../parser/syntax-error.js';
import { type CelType, errorType } from '../values/cel-type.js';
import type { Shape } from '../values/shape.js';
import type { Value } from '../values/values.js';

const scalars = new Set(['bool', 'int', 'uint', 'double', 'duration', 'timestamp', 'null']);

/** What is known of a part of an expression before it runs. */
export interface Known {
  readonly type: CelType;
  /** Most units that evaluating it costs. */
  readonly cost: number;
  /** Most characters or elements of the outcome. */
  readonly size: number;
  /** The part of the schema that it comes from. */
  readonly shape?: Shape | undefined;
  /** Of a list or map that the expression makes: most characters or elements of one of its values, where that is known. */
  readonly entrySize?: number | undefined;
  /** The value, where it is written down. */
  readonly literal?: Value;
}

/** What is known of a part that was complained about. */
export const lost: Known = { type: errorType, cost: 0, size: 0 };

/** Kubernetes' largest size and cost: nothing bounds them. */
export const unbounded = 2 ** 64;

/** A variable: what is known of it, beside that reading it costs a unit. */
export type Variable = Pick<Known, 'type' | 'shape'>;

/** The most that there can be of a value: what the schema says, 1 for numbers and the like, or no bound. */
export function sizeOfShape({ type, shape }: Variable): number {
  return shape?.maxSize ?? (isScalar(type) ? 1 : unbounded);
}

function isScalar({ name, params: [inner] }: CelType): boolean {
  return scalars.has(name) || (name === 'optional_type' && inner !== undefined && isScalar(inner));
}

export function totalCost(known: readonly Known[]): number {
  return known.reduce((total, { cost }) => total + cost, 0);
}

/**
 * Returns the part of the schema by which the values of a list or map are bounded. Kubernetes takes those of a list that
 * the expression makes, such as that of `split`, for `self`.
 */
export function shapeOfValues({ type, shape }: Variable, self: Shape | undefined): Shape | undefined {
  if (shape) return shape.element;
  return type.name === 'list' || type.name === 'map' ? self : undefined;
}

/** Checks parts of an expression and collects what is wrong with them. */
export interface PartChecker {
  /** Issues of literals, which are reported only if there are no others. */
  readonly literals: Issue[];
  /** Whether an argument of `format` is being checked. */
  readonly isInFormat: boolean;
  /** The schema of `self`, for rules of a definition. */
  readonly self: Shape | undefined;
  check(node: Node): Known;
  /** Checks a part that is there twice. */
  checkTwice(node: Node): Known;
  /** Checks with more variables. */
  within(variables: Iterable<readonly [string, Variable]>, node: Node): Known;
  complain(at: number, message: string): Known;
  undeclared(at: number, name: string): Known;
  noOverload(at: number, name: string, args: readonly Known[], isMethod?: boolean): Known;
}
