import type { FieldError } from '@slipway/api-machinery/errors/field-error';
import { ageColumn, textColumn } from '@slipway/api-server/registry/columns';
import { type KubeObject, labelSelectorToString } from '@slipway/kube';
import type { BindingSpec } from '@slipway/kube-objects/kinds/admission-policy';
import {
  defaultMatchResources,
  validateMatchResources,
  validateParamRef,
  validatePolicyName,
} from './admission-rules.js';

/** What bindings of validating and of mutating policies have in common. */
export const policyBinding = {
  group: 'admissionregistration.k8s.io',
  categories: ['api-extensions'],
  namespaced: false,
  mustNameVersion: true,
  generation: ['spec'],
  defaults(binding: KubeObject) {
    binding.spec ??= {};
    defaultMatchResources(binding.spec.matchResources);
  },
  columns: [
    textColumn('PolicyName', 'The policy that is bound.', ({ spec }) => spec.policyName ?? ''),
    textColumn('ParamRef', 'The parameters it is asked with.', ({ spec: { paramRef } }) => shownParams(paramRef)),
    ageColumn,
  ],
};

export function validateBinding({ policyName, paramRef, matchResources }: BindingSpec): FieldError[] {
  return [
    ...validatePolicyName(policyName, 'spec.policyName'),
    ...validateParamRef(paramRef, 'spec.paramRef'),
    ...(matchResources ? validateMatchResources(matchResources, 'spec.matchResources') : []),
  ];
}

/** The parameters of a binding in one cell of a table. */
function shownParams(paramRef: BindingSpec['paramRef']): string {
  if (!paramRef) return '<unset>';
  if (!paramRef.name) return paramRef.selector ? labelSelectorToString(paramRef.selector) : '<unset>';
  return paramRef.namespace ? `${paramRef.namespace}/${paramRef.name}` : `*/${paramRef.name}`;
}
