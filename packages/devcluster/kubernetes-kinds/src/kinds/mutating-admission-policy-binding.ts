import { defineResource } from '@slipway/api-server/registry/define-resource';
import { viewIn } from '@slipway/api-server/registry/version-view';
import { mutatingOperationProblems } from './admission-rules.js';
import { mutatingPolicyVersions } from './mutating-admission-policy.js';
import { policyBinding, validateBinding } from './policy-binding.js';

/** All versions that Kubernetes has it in; they are alike. */
export const mutatingAdmissionPolicyBindings = mutatingPolicyVersions.map(({ version, since, lastIn }) =>
  defineResource({
    ...policyBinding,
    version,
    since,
    ...(lastIn !== undefined && { lastIn }),
    kind: 'MutatingAdmissionPolicyBinding',
    plural: 'mutatingadmissionpolicybindings',
    message: 'admissionregistration.v1beta1.MutatingAdmissionPolicyBinding',
    ...viewIn('admissionregistration.k8s.io', version, 'v1beta1'),
    validate: ({ spec }) => [
      ...validateBinding(spec),
      ...mutatingOperationProblems(spec.matchResources, 'spec.matchResources'),
    ],
  }),
);
