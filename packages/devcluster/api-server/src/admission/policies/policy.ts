import type { Compiled } from '@slipway/cel/compile-expression';
import { compilePolicyExpression, type Speaking } from '@slipway/cel/kubernetes/policy-variables';
import { bool, type CelType, dyn } from '@slipway/cel/values/cel-type';
import type { PolicySpec } from '@slipway/kube-objects/kinds/admission-policy';

/** An expression that was admitted. A text says why it does not compile: another server stored it. */
export type Expression = Compiled | string;

/** The expressions that every policy has, compiled. */
export interface PolicyExpressions {
  readonly matchConditions: readonly { readonly name: string; readonly expression: Expression }[];
  readonly variables: ReadonlyMap<string, Expression>;
  /** What its other expressions may speak about. */
  readonly speaking: Speaking;
}

/** Compiles match conditions, and variables each of which may use those before it. */
export function compileCommon({ paramKind, matchConditions = [], variables = [] }: PolicySpec): PolicyExpressions {
  const plain = { hasParams: paramKind !== undefined, hasAuthorizer: true };
  const declared = new Map<string, CelType>();
  const compiled = new Map<string, Expression>();
  for (const { name, expression } of variables) {
    const variable = compilePolicyExpression(expression, { ...plain, declared }, []);
    compiled.set(name, variable);
    declared.set(name, typeof variable === 'string' ? dyn : variable.type);
  }
  return {
    matchConditions: matchConditions.map(({ name, expression }) => ({
      name,
      expression: compilePolicyExpression(expression.trim(), plain, [bool]),
    })),
    variables: compiled,
    speaking: { ...plain, declared },
  };
}
