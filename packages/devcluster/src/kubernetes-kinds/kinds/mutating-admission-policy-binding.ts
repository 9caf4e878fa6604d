import type { FieldError } from '@slipway/api-machinery/errors/field-error';
import { ageColumn, textColumn } from '../../api-server/registry/columns.js';
import { defineResource } from '../../api-server/registry/define-resource.js';
import { viewIn } from '../../api-server/registry/version-view.js';
import type { BindingSpec } from '../../kube-objects/kinds/admission-policy.js';
import {
  defaultMatchResources,
  mutatingOperationProblems,
  validateMatchResources,
  validateParamRef,
  validatePolicyName,
} from './admission-rules.js';
import { mutatingPolicyVersions } from './mutating-admission-policy.js';
import { shownParams } from './validating-admission-policy-binding.js';

/** All versions that Kubernetes has it in; they are alike. */
export const mutatingAdmissionPolicyBindings = mutatingPolicyVersions.map(({ version, since }) =>
  defineResource({
    group: 'admissionregistration.k8s.io',
    version,
    since,
    kind: 'MutatingAdmissionPolicyBinding',
    plural: 'mutatingadmissionpolicybindings',
    categories: ['api-extensions'],
    namespaced: false,
    message: 'admissionregistration.v1beta1.MutatingAdmissionPolicyBinding',
    generation: ['spec'],
    ...viewIn('admissionregistration.k8s.io', version, 'v1beta1'),
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
  }),
);

function validateSpec({ policyName, paramRef, matchResources }: BindingSpec): FieldError[] {
  return [
    ...validatePolicyName(policyName, 'spec.policyName'),
    ...validateParamRef(paramRef, 'spec.paramRef'),
    ...(matchResources ? validateMatchResources(matchResources, 'spec.matchResources') : []),
    ...mutatingOperationProblems(matchResources, 'spec.matchResources'),
  ];
}
