import type { Condition, KubeObject, ResourceRef } from '@slipway/kube';

/** CertificateSigningRequest of certificates.k8s.io/v1. */
export interface CertificateSigningRequest extends KubeObject {
  spec: {
    /** Base64 of a PEM block. */
    readonly request: string;
    readonly signerName: string;
    readonly usages?: readonly string[];
    readonly expirationSeconds?: number;
    /** Who asks. */
    readonly username?: string;
    readonly uid?: string;
    readonly groups?: readonly string[];
    readonly extra?: Readonly<Record<string, readonly string[]>>;
  };
  status?: {
    readonly conditions?: readonly (Condition & { readonly lastUpdateTime?: string | null })[];
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

/** SubjectAccessReview of authorization.k8s.io/v1. */
export interface SubjectAccessReview extends KubeObject {
  spec: {
    readonly user?: string;
    readonly uid?: string;
    readonly groups?: readonly string[];
    readonly extra?: Readonly<Record<string, readonly string[]>>;
    readonly resourceAttributes: Readonly<Record<string, string>>;
  };
  status?: { readonly allowed: boolean };
}

export const subjectAccessReviews: ResourceRef<SubjectAccessReview> = {
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SubjectAccessReview',
  plural: 'subjectaccessreviews',
  namespaced: false,
};

/** ClusterTrustBundle of certificates.k8s.io/v1. */
export interface ClusterTrustBundle extends KubeObject {
  spec: {
    readonly signerName?: string;
    /** PEM blocks. */
    readonly trustBundle: string;
  };
}

export const clusterTrustBundles: ResourceRef<ClusterTrustBundle> = {
  group: 'certificates.k8s.io',
  version: 'v1',
  kind: 'ClusterTrustBundle',
  plural: 'clustertrustbundles',
  namespaced: false,
};

/** PodCertificateRequest of certificates.k8s.io/v1. */
export interface PodCertificateRequest extends KubeObject {
  spec: {
    readonly signerName: string;
    readonly podName: string;
    readonly podUID: string;
    readonly serviceAccountName: string;
    readonly serviceAccountUID: string;
    readonly nodeName: string;
    readonly nodeUID: string;
    readonly maxExpirationSeconds?: number;
    /** Base64 of a request (PKCS #10) in DER. */
    readonly stubPKCS10Request: string;
    readonly unverifiedUserAnnotations?: Readonly<Record<string, string>>;
  };
  status?: {
    readonly conditions?: readonly Condition[];
    /** PEM blocks. */
    readonly certificateChain?: string;
    readonly notBefore?: string;
    readonly beginRefreshAt?: string;
    readonly notAfter?: string;
  };
}

export const podCertificateRequests: ResourceRef<PodCertificateRequest> = {
  group: 'certificates.k8s.io',
  version: 'v1',
  kind: 'PodCertificateRequest',
  plural: 'podcertificaterequests',
  namespaced: true,
};
