import { type Checked, check } from './checker/check.js';
import type { Variable } from './checker/known.js';
import type { Structs } from './checker/named-types.js';
import { type Program, programOf } from './evaluator/evaluate.js';
import { constantProblem } from './evaluator/fold-constants.js';
import { callOrBinding } from './parser/bindings.js';
import { parse } from './parser/parse.js';
import { CelSyntaxError, describeIssues } from './parser/syntax-error.js';

/** An expression that can run, and what is known of it. */
export interface Compiled extends Pick<Checked, 'type' | 'cost' | 'names'> {
  readonly source: string;
  readonly program: Program;
  /** The variables, in the order in which the program wants their values. */
  readonly order: readonly string[];
  /** Says why Kubernetes makes no program of it, although its types are right. */
  readonly problem: string | undefined;
}

/** Variables by name. A name with a dot stands for a field that is not part of a value. */
export type Variables = Readonly<Record<string, Variable>>;

/**
 * Compiles an expression; a text when it cannot be: each issue with its line, and a mark under its place.
 * @param hasBindings whether it may name values by `cel.bind`
 */
export function compileExpression(
  source: string,
  variables: Variables,
  structs?: Structs,
  hasBindings = false,
): Compiled | string {
  try {
    const node = parse(source, hasBindings ? callOrBinding : undefined);
    const checked = check(node, variables, structs);
    if (checked.issues.length > 0) return describeIssues(source, checked.issues);
    const order = Object.keys(variables);
    const { type, cost, names } = checked;
    const problem = constantProblem(node, checked);
    return { source, program: programOf(node, checked, order), order, type, cost, names, problem };
  } catch (error) {
    if (!(error instanceof CelSyntaxError)) throw error;
    return describeIssues(source, [{ at: error.at, message: error.message }]);
  }
}
