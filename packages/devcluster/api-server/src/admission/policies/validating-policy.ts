import { OutOfBudgetError } from '@slipway/cel/budget';
import { compilePolicyExpression } from '@slipway/cel/kubernetes/policy-variables';
import { bool, nullType, string } from '@slipway/cel/values/cel-type';
import { Failure } from '@slipway/cel/values/failure';
import type { Value } from '@slipway/cel/values/values';
import type { KubeObject } from '@slipway/kube';
import type { ValidatingPolicySpec } from '@slipway/kube-objects/kinds/admission-policy';
import type { Steps } from '../matching/steps.js';
import { Activation, type Asked } from './activation.js';
import { meetsConditions } from './match-conditions.js';
import { compileCommon, type Expression, type PolicyExpressions } from './policy.js';

/** A ValidatingAdmissionPolicy, ready to be asked. */
export interface ValidatingPolicy extends PolicyExpressions {
  readonly isFailing: boolean;
  readonly validations: readonly {
    readonly source: string;
    readonly expression: Expression;
    readonly message: string;
    readonly messageExpression: Expression | undefined;
    readonly reason: string;
  }[];
  readonly auditAnnotations: readonly { readonly key: string; readonly value: Expression }[];
}

/** What a policy has against a request. */
export interface Objection {
  readonly message: string;
  readonly reason: string;
  /** Which validation it is from, counted from 0; absent when it is from none. */
  readonly index?: number;
  /** The objection is that the policy could not be asked; it is one whatever its binding wants done about others. */
  readonly isUnconditional?: boolean;
}

/** Units that the expressions of a policy may cost for one request, binding and parameter. Upstream allows five times as much. */
const maxUnits = 2_000_000;
/** Longest message that an expression may make, in bytes. */
const longestMessage = 5 * 1024;

export function compileValidatingPolicy(policy: KubeObject): ValidatingPolicy {
  const spec: ValidatingPolicySpec = policy.spec;
  const common = compileCommon(spec);
  const { speaking } = common;
  return {
    ...common,
    isFailing: spec.failurePolicy !== 'Ignore',
    validations: (spec.validations ?? []).map(({ expression, message = '', messageExpression = '', reason }) => ({
      source: expression,
      expression: compilePolicyExpression(expression, speaking, [bool]),
      message,
      messageExpression:
        messageExpression === ''
          ? undefined
          : compilePolicyExpression(messageExpression, { ...speaking, hasAuthorizer: false }, [string]),
      reason: reason ?? 'Invalid',
    })),
    auditAnnotations: (spec.auditAnnotations ?? []).map(({ key, valueExpression }) => ({
      key,
      value: compilePolicyExpression(valueExpression.trim(), speaking, [string, nullType]),
    })),
  };
}

/** What a policy is asked about, and its name. */
export interface AskedOfPolicy extends Asked {
  readonly policy: string;
}

/** Asks a policy about a request, once for one binding and parameter. */
export function* objectionsOf(policy: ValidatingPolicy, asked: AskedOfPolicy): Steps<readonly Objection[]> {
  const met = yield* meetsConditions(policy.matchConditions, asked);
  if (met === false) return [];
  if (met !== true) return policy.isFailing ? [{ message: met.problem, reason: 'Invalid' }] : [];
  const withVariables = { ...asked, variables: policy.variables };
  return [...(yield* askAll(policy, withVariables)), ...(yield* annotationProblems(policy, withVariables))];
}

function* askAll(policy: ValidatingPolicy, asked: Asked): Steps<Objection[]> {
  const activation = new Activation(asked, maxUnits);
  const objections: Objection[] = [];
  for (const [index, validation] of policy.validations.entries()) {
    const value = outcomeOf(activation, validation.expression);
    if (value instanceof OutOfBudgetError || value instanceof Failure) {
      if (policy.isFailing) objections.push({ message: value.message, reason: 'Invalid', index });
    } else if (value !== true) {
      objections.push({ message: messageOf(validation, activation), reason: validation.reason, index });
    }
    if (value instanceof OutOfBudgetError) break;
    if (activation.budget.isOutOfBreath) yield undefined;
  }
  return objections;
}

function outcomeOf(activation: Activation, expression: Expression): Value | OutOfBudgetError {
  try {
    return activation.evaluate(expression);
  } catch (error) {
    if (error instanceof OutOfBudgetError) return error;
    throw error;
  }
}

function messageOf(validation: ValidatingPolicy['validations'][number], activation: Activation): string {
  const { messageExpression, message, source } = validation;
  const made = messageExpression === undefined ? undefined : outcomeOf(activation, messageExpression);
  if (typeof made === 'string') {
    const trimmed = made.trim();
    if (trimmed !== '' && Buffer.byteLength(trimmed) <= longestMessage && !trimmed.includes('\n')) return trimmed;
  }
  return message.trim() || `failed expression: ${source.trim()}`;
}

/** Annotates the audit event. A policy that fails closed refuses what it cannot annotate. */
function* annotationProblems(policy: ValidatingPolicy, asked: AskedOfPolicy): Steps<Objection[]> {
  if (policy.auditAnnotations.length === 0) return [];
  const activation = new Activation(asked, maxUnits);
  const objections: Objection[] = [];
  for (const { key, value } of policy.auditAnnotations) {
    const found = outcomeOf(activation, value);
    if (typeof found === 'string' && found !== '') asked.request.annotate?.(`${asked.policy}/${key}`, found);
    const isProblem = found instanceof OutOfBudgetError || found instanceof Failure;
    if (isProblem && policy.isFailing) {
      objections.push({ message: found.message, reason: 'Invalid', isUnconditional: true });
    }
    if (found instanceof OutOfBudgetError) break;
    if (activation.budget.isOutOfBreath) yield undefined;
  }
  return objections;
}
