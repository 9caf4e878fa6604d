import type { KubeObject, ResourceRef } from '@slipway/kube';
import type { ValidatingPolicySpec } from '../admission-policy.js';

/** ValidatingAdmissionPolicy of admissionregistration.k8s.io/v1. */
export interface ValidatingAdmissionPolicy extends KubeObject {
  spec: ValidatingPolicySpec;
  status?: {
    readonly observedGeneration?: number;
    /** What a check against the schemas of the matched kinds found. */
    readonly typeChecking?: { readonly expressionWarnings?: readonly ExpressionWarning[] };
  };
}

export interface ExpressionWarning {
  /** Path of the expression in the policy. */
  readonly fieldRef: string;
  readonly warning: string;
}

export const validatingAdmissionPolicies: ResourceRef<ValidatingAdmissionPolicy> = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'ValidatingAdmissionPolicy',
  plural: 'validatingadmissionpolicies',
  namespaced: false,
};
