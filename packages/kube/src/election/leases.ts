import type { KubeObject, ResourceRef } from '../transport/objects.js';

/** Lease of coordination.k8s.io/v1. Times have microseconds. */
export interface Lease extends KubeObject {
  spec: {
    holderIdentity?: string;
    leaseDurationSeconds?: number;
    acquireTime?: string;
    renewTime?: string;
    leaseTransitions?: number;
  };
}

export const leases: ResourceRef<Lease> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
};
