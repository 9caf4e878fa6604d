import type { FieldError } from '@slipway/api-machinery/errors/field-error';
import { duplicate, invalid, notSupported, required } from '@slipway/api-machinery/errors/field-error';
import { repeatsIn } from '@slipway/api-machinery/errors/repeats';
import { labelSelectorToString } from '@slipway/kube';
import { ageColumn, textColumn } from '../../api-server/registry/columns.js';
import { defineResource } from '../../api-server/registry/define-resource.js';
import type { BindingSpec } from '../../kube-objects/kinds/admission-policy.js';
import {
  defaultMatchResources,
  validateMatchResources,
  validateParamRef,
  validatePolicyName,
} from './admission-rules.js';

export const validatingAdmissionPolicyBindings = defineResource({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'ValidatingAdmissionPolicyBinding',
  plural: 'validatingadmissionpolicybindings',
  categories: ['api-extensions'],
  namespaced: false,
  message: 'admissionregistration.v1.ValidatingAdmissionPolicyBinding',
  generation: ['spec'],
  defaults(binding) {
    binding.spec ??= {};
    defaultMatchResources(binding.spec.matchResources);
  },
  validate: ({ spec }) => validateSpec(spec),
  columns: [
    textColumn('PolicyName', 'The policy that is bound.', ({ spec }) => spec.policyName ?? ''),
    textColumn('ParamRef', 'The parameters it is asked with.', ({ spec: { paramRef } }) => shownParams(paramRef)),
    ageColumn,
  ],
});

/** The parameters of a binding in one cell of a table. */
export function shownParams(paramRef: BindingSpec['paramRef']): string {
  if (!paramRef) return '<unset>';
  if (!paramRef.name) return paramRef.selector ? labelSelectorToString(paramRef.selector) : '<unset>';
  return paramRef.namespace ? `${paramRef.namespace}/${paramRef.name}` : `*/${paramRef.name}`;
}

const actions = ['Audit', 'Deny', 'Warn'];

function validateSpec({ policyName, paramRef, matchResources, validationActions = [] }: BindingSpec): FieldError[] {
  return [
    ...validatePolicyName(policyName, 'spec.policyName'),
    ...validateParamRef(paramRef, 'spec.paramRef'),
    ...(matchResources ? validateMatchResources(matchResources, 'spec.matchResources') : []),
    ...validateActions(validationActions, 'spec.validationActions'),
  ];
}

function validateActions(given: readonly string[], field: string): FieldError[] {
  const twice =
    'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)';
  const isTwice = repeatsIn(given);
  return [
    ...given.flatMap((action, index) => [
      ...(actions.includes(action) ? [] : [notSupported(`${field}[${index}]`, action, actions)]),
      ...(isTwice(index) ? [duplicate(`${field}[${index}]`, action)] : []),
    ]),
    ...(given.includes('Deny') && given.includes('Warn') ? [invalid(field, given, twice)] : []),
    ...(given.length === 0 ? [required(field, 'at least one validation action is required')] : []),
  ];
}
