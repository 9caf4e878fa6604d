import type { ResourceRef } from '@slipway/kube';

/** The resource of core/v1 pods. */
export const Pod: ResourceRef = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };
