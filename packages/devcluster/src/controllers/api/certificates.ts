import type { Condition, KubeObject, ResourceRef } from '@slipway/kube';

/** CertificateSigningRequest of certificates.k8s.io/v1. */
export interface CertificateSigningRequest extends KubeObject {
  spec: {
    /** Base64 of a PEM block. */
    readonly request: string;
    readonly signerName: string;
    readonly usages?: readonly string[];
    readonly expirationSeconds?: number;
  };
  status?: {
    readonly conditions?: readonly Condition[];
    /** Base64 of PEM. */
    readonly certificate?: string;
  };
}

export const certificateSigningRequests: ResourceRef<CertificateSigningRequest> = {
  group: 'certificates.k8s.io',
  version: 'v1',
  kind: 'CertificateSigningRequest',
  plural: 'certificatesigningrequests',
  namespaced: false,
};
