import type { FieldSchema } from '@slipway/api-machinery/schema/object-schema';
import { OutOfBudgetError } from '@slipway/cel/budget';
import { configurationType, jsonPatchType } from '@slipway/cel/kubernetes/patch-types';
import { compilePolicyExpression } from '@slipway/cel/kubernetes/policy-variables';
import { Failure } from '@slipway/cel/values/failure';
import type { KubeObject } from '@slipway/kube';
import type { PolicySpec } from '@slipway/kube-objects/kinds/admission-policy';
import { Activation, type Asked } from './activation.js';
import { configured, MutationError, patched } from './mutations.js';
import { compileCommon, type Expression, type PolicyExpressions } from './policy.js';

/** The spec of a MutatingAdmissionPolicy, as far as it is not that of every policy. */
export interface MutatingPolicySpec extends PolicySpec {
  readonly mutations?: readonly {
    readonly patchType: 'ApplyConfiguration' | 'JSONPatch';
    readonly applyConfiguration?: { readonly expression: string };
    readonly jsonPatch?: { readonly expression: string };
  }[];
  readonly reinvocationPolicy?: 'Never' | 'IfNeeded';
}

/** A MutatingAdmissionPolicy, ready to be asked. */
export interface MutatingPolicy extends PolicyExpressions {
  readonly isFailing: boolean;
  readonly isReinvoked: boolean;
  readonly mutations: readonly { readonly kind: 'configuration' | 'patch'; readonly expression: Expression }[];
}

/** Units that one mutation may cost. */
const maxUnits = 2_000_000;

export function compileMutatingPolicy(policy: KubeObject): MutatingPolicy {
  const spec: MutatingPolicySpec = policy.spec;
  const common = compileCommon(spec);
  const speaking = { ...common.speaking, makesPatch: true };
  return {
    ...common,
    isFailing: spec.failurePolicy !== 'Ignore',
    isReinvoked: spec.reinvocationPolicy === 'IfNeeded',
    mutations: (spec.mutations ?? []).map(({ patchType, applyConfiguration, jsonPatch }) =>
      patchType === 'JSONPatch'
        ? {
            kind: 'patch',
            expression: compilePolicyExpression(jsonPatch?.expression.trim() ?? '', speaking, [jsonPatchType]),
          }
        : {
            kind: 'configuration',
            expression: compilePolicyExpression(applyConfiguration?.expression.trim() ?? '', speaking, [
              configurationType,
            ]),
          },
    ),
  };
}

/**
 * The object after one mutation. The original is not changed; the result may share parts with it.
 * @throws MutationError
 */
export function mutate(
  { kind, expression }: MutatingPolicy['mutations'][number],
  asked: Asked,
  object: KubeObject,
  schema: FieldSchema,
): KubeObject {
  if (typeof expression === 'string') throw new MutationError(expression);
  try {
    const value = new Activation(asked, maxUnits).evaluate(expression);
    if (value instanceof Failure) throw new MutationError(value.message);
    return kind === 'patch' ? patched(object, value) : configured(object, value, schema);
  } catch (error) {
    throw error instanceof OutOfBudgetError ? new MutationError(error.message) : error;
  }
}
