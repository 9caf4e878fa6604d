import type { ResourceRef } from '@slipway/kube';

/** Says of a version of a group which server answers for it. */
export const apiServices: ResourceRef = {
  group: 'apiregistration.k8s.io',
  version: 'v1',
  kind: 'APIService',
  plural: 'apiservices',
  namespaced: false,
};
