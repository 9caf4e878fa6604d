import type { Variable } from '../checker/known.js';
import { compileExpression } from '../compile-expression.js';
import type { Program } from '../evaluator/evaluate.js';
import { bool, optionalOf, string } from '../values/cel-type.js';
import type { Shape } from '../values/shape.js';

/** An entry of x-kubernetes-validations. */
export interface Rule {
  readonly rule: string;
  readonly message: string;
  readonly messageExpression: string;
  readonly reason: string | undefined;
  readonly fieldPath: string;
  readonly optionalOldSelf: boolean | undefined;
}

/** An entry as it was admitted, with what is absent filled in. */
export function ruleOf(given: Readonly<Record<string, unknown>>): Rule {
  const text = (name: string) => (given[name] as string | undefined) ?? '';
  return {
    rule: text('rule'),
    message: text('message'),
    messageExpression: text('messageExpression'),
    reason: given.reason as string | undefined,
    fieldPath: text('fieldPath'),
    optionalOldSelf: given.optionalOldSelf as boolean | undefined,
  };
}

/** An expression that can run on a value and the one before it, and what one run costs at most. */
export interface CompiledExpression {
  readonly program: Program;
  readonly cost: number;
  readonly usesOldSelf: boolean;
}

/** Compiles a rule; a text when it cannot be: what is wrong with it. */
export function compileRule(rule: Rule, shape: Shape): CompiledExpression | string {
  const compiled = compile(rule.rule, rule, shape);
  if (typeof compiled === 'string') return `compilation failed: ${compiled}`;
  if (compiled.type.name !== bool.name) return 'cel expression must evaluate to a bool';
  return compiled.problem === undefined ? compiled : `program instantiation failed: ${compiled.problem}`;
}

/** Compiles the expression that makes the message; a text when it cannot be. */
export function compileMessage(rule: Rule, shape: Shape): CompiledExpression | string {
  const compiled = compile(rule.messageExpression, rule, shape);
  if (typeof compiled === 'string') return `messageExpression compilation failed: ${compiled}`;
  if (compiled.type.name !== string.name) return 'messageExpression must evaluate to a string';
  return compiled.problem === undefined ? compiled : `messageExpression instantiation failed: ${compiled.problem}`;
}

function compile(source: string, rule: Rule, shape: Shape) {
  const self: Variable = { type: shape.type, shape };
  const oldSelf: Variable = rule.optionalOldSelf ? { type: optionalOf(shape.type), shape } : self;
  const compiled = compileExpression(source, { self, oldSelf });
  if (typeof compiled === 'string') return compiled;
  const { program, cost, type, names, problem } = compiled;
  return { program, cost, type, problem, usesOldSelf: names.has('oldSelf') };
}
