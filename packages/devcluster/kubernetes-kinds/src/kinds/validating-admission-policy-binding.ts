import { oneOf } from '@slipway/api-machinery/errors/field-checks';
import { duplicate, type FieldError, invalid, required } from '@slipway/api-machinery/errors/field-error';
import { repeatsIn } from '@slipway/api-machinery/errors/repeats';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import { policyBinding, validateBinding } from './policy-binding.js';

export const validatingAdmissionPolicyBindings = defineResource({
  ...policyBinding,
  version: 'v1',
  kind: 'ValidatingAdmissionPolicyBinding',
  plural: 'validatingadmissionpolicybindings',
  message: 'admissionregistration.v1.ValidatingAdmissionPolicyBinding',
  validate: ({ spec }) => [
    ...validateBinding(spec),
    ...validateActions(spec.validationActions ?? [], 'spec.validationActions'),
  ],
});

const actions = ['Audit', 'Deny', 'Warn'];

function validateActions(given: readonly string[], field: string): FieldError[] {
  const twice =
    'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)';
  const isTwice = repeatsIn(given);
  return [
    ...given.flatMap((action, index) => [
      ...oneOf(`${field}[${index}]`, action, actions),
      ...(isTwice(index) ? [duplicate(`${field}[${index}]`, action)] : []),
    ]),
    ...(given.includes('Deny') && given.includes('Warn') ? [invalid(field, given, twice)] : []),
    ...(given.length === 0 ? [required(field)] : []),
  ];
}
