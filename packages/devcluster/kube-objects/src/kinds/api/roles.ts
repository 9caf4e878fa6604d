import type { PolicyRule } from '@slipway/api-machinery/identity/access';
import type { KubeObject, LabelSelector, ResourceRef } from '@slipway/kube';

/** ClusterRole of rbac.authorization.k8s.io/v1. */
export interface ClusterRole extends KubeObject {
  rules?: readonly PolicyRule[] | null;
  aggregationRule?: { readonly clusterRoleSelectors?: readonly LabelSelector[] };
}

export const clusterRoles: ResourceRef<ClusterRole> = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRole',
  plural: 'clusterroles',
  namespaced: false,
};

export const clusterRoleBindings: ResourceRef = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
  namespaced: false,
};
