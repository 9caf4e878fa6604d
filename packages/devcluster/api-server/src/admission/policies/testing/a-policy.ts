import type { KubeObject } from '@slipway/kube';

const apiVersion = 'admissionregistration.k8s.io/v1';

/** Where policies are created. */
export const policiesPath = `/apis/${apiVersion}/validatingadmissionpolicies`;
/** Where bindings are created. */
export const bindingsPath = `/apis/${apiVersion}/validatingadmissionpolicybindings`;

/** A policy about config maps, unless the test says otherwise. */
export function aPolicy(name: string, spec: object): KubeObject {
  const matchConstraints = {
    resourceRules: [
      { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['configmaps'] },
    ],
  };
  return { apiVersion, kind: 'ValidatingAdmissionPolicy', metadata: { name }, spec: { matchConstraints, ...spec } };
}

/** A binding that denies, unless the test says otherwise. */
export function aBinding(policyName: string, spec: object = {}): KubeObject {
  return {
    apiVersion,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: `${policyName}-binding` },
    spec: { policyName, validationActions: ['Deny'], ...spec },
  };
}
