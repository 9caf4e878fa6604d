import type { Resumable } from '@slipway/api-machinery/event-loop/resumable';
import { compileExpression } from '@slipway/cel/compile-expression';
import { policyVariables, type Speaking } from '@slipway/cel/kubernetes/policy-variables';
import { type CelType, dyn } from '@slipway/cel/values/cel-type';
import type { ValidatingPolicySpec } from '@slipway/kube-objects/kinds/admission-policy';
import type { ExpressionWarning } from '@slipway/kube-objects/kinds/api/admission-policies';

/** A kind that a policy is about, and the type of its objects. */
export interface TypedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly type: CelType;
}

/**
 * Checks the expressions of a policy against the types of the objects it applies to. The policy is evaluated whatever
 * is found.
 * @param params the type of its parameters, undefined when it has none or nothing is known of them
 */
export function* checkingTypes(
  spec: ValidatingPolicySpec,
  kinds: readonly TypedKind[],
  params: CelType | undefined,
): Resumable<ExpressionWarning[]> {
  const speaking = kinds.map((kind) => [kind, speakingOf(spec, kind, params)] as const);
  const warningsOf = (fieldRef: string, expression: string | undefined): ExpressionWarning[] => {
    if (!expression) return [];
    const texts = speaking.flatMap(([{ group, version, kind }, of]) => {
      const compiled = compileExpression(expression, policyVariables(of));
      return typeof compiled === 'string' ? [`${group}/${version}, Kind=${kind}: ${compiled}\n`] : [];
    });
    return texts.length === 0 ? [] : [{ fieldRef, warning: texts.join('\n') }];
  };
  const warnings: ExpressionWarning[] = [];
  for (const [index, { expression, messageExpression }] of (spec.validations ?? []).entries()) {
    warnings.push(...warningsOf(`spec.validations[${index}].expression`, expression));
    warnings.push(...warningsOf(`spec.validations[${index}].messageExpression`, messageExpression));
    yield;
  }
  return warnings;
}

/** What expressions may speak about when objects are of one kind; variables that do not compile may be anything. */
function speakingOf(spec: ValidatingPolicySpec, { type }: TypedKind, params: CelType | undefined): Speaking {
  const declared = new Map<string, CelType>();
  const speaking: Speaking = {
    hasParams: spec.paramKind !== undefined,
    hasAuthorizer: true,
    objects: { object: { type }, params: params && { type: params } },
    declared,
  };
  for (const { name, expression } of spec.variables ?? []) {
    const compiled = compileExpression(expression, policyVariables(speaking));
    declared.set(name, typeof compiled === 'string' ? dyn : compiled.type);
  }
  return speaking;
}
