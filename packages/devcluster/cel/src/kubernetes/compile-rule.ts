import type { Variable } from '../checker/known.js';
import { compileExpression } from '../compile-expression.js';
import type { Program } from '../evaluator/evaluate.js';
import { bool, isDynamic, optionalOf, string } from '../values/cel-type.js';
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
  return isDynamic(compiled.type) || compiled.type.name === bool.name
    ? compiled
    : 'cel expression must evaluate to a bool';
}

/** Compiles the expression that makes the message; a text when it cannot be. */
export function compileMessage(rule: Rule, shape: Shape): CompiledExpression | string {
  const compiled = compile(rule.messageExpression, rule, shape);
  if (typeof compiled === 'string') return `messageExpression compilation failed: ${compiled}`;
  return compiled.type.name === string.name ? compiled : 'messageExpression must evaluate to a string';
}

function compile(source: string, rule: Rule, shape: Shape) {
  const self: Variable = { type: shape.type, shape };
  const oldSelf: Variable = rule.optionalOldSelf ? { type: optionalOf(shape.type), shape } : self;
  const compiled = compileExpression(source, { self, oldSelf });
  if (typeof compiled === 'string') return compiled;
  const { program, cost, type, names } = compiled;
  return { program, cost, type, usesOldSelf: names.has('oldSelf') };
}
