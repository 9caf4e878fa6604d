import { OutOfBudgetError } from '@slipway/cel/budget';
import { Failure } from '@slipway/cel/values/failure';
import type { Steps } from '../matching/steps.js';
import { Activation, type Asked } from './activation.js';
import type { PolicyExpressions } from './policy.js';

/** Units that the match conditions of one policy or webhook may cost for one request. */
const maxUnits = 1_250_000;

/** Whether a request meets all conditions, or why that cannot be said. */
export type Met = boolean | { readonly problem: string };

/**
 * Asks match conditions about a request. One that does not hold decides, whatever went wrong with others.
 * They know no namespace and no variables, as in Kubernetes.
 */
export function* meetsConditions(
  conditions: PolicyExpressions['matchConditions'],
  { variables: _, namespace: __, ...asked }: Asked,
): Steps<Met> {
  if (conditions.length === 0) return true;
  const activation = new Activation(asked, maxUnits);
  const problems: string[] = [];
  try {
    for (const { expression } of conditions) {
      const value = activation.evaluate(expression);
      if (activation.budget.isOutOfBreath) yield undefined;
      if (value === false) return false;
      if (value instanceof Failure) problems.push(value.message);
    }
  } catch (error) {
    if (!(error instanceof OutOfBudgetError)) throw error;
    return { problem: error.message };
  }
  if (problems.length === 0) return true;
  const told = [...new Set(problems)];
  return { problem: told.length === 1 ? (told[0] ?? '') : `[${told.join(', ')}]` };
}
