import type { ResourceRef } from '@slipway/kube';

const group = 'admissionregistration.k8s.io';
const clusterWide = (kind: string, plural: string, version: string): ResourceRef => ({
  group,
  version,
  kind,
  plural,
  namespaced: false,
});
export const ValidatingPolicy = clusterWide('ValidatingAdmissionPolicy', 'validatingadmissionpolicies', 'v1');
export const ValidatingBinding = clusterWide(
  'ValidatingAdmissionPolicyBinding',
  'validatingadmissionpolicybindings',
  'v1',
);
/** GA in 1.36 and beta in 1.34, so the version is what the server says. */
export const mutatingPolicy = (version: string) =>
  clusterWide('MutatingAdmissionPolicy', 'mutatingadmissionpolicies', version);
export const mutatingBinding = (version: string) =>
  clusterWide('MutatingAdmissionPolicyBinding', 'mutatingadmissionpolicybindings', version);
