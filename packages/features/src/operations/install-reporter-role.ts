import { epochConfigMap } from '@slipway/feature-gates';
import { type Kube, type KubeObject, role as newRole, type ResourceRef, type Role, roleBinding } from '@slipway/kube';
import { group, kubernetesNamespace } from '../api/group.js';
import { putObject } from './put-object.js';

const rbacGroup = 'rbac.authorization.k8s.io';
const rbac = (kind: string, plural: string, namespaced: boolean): ResourceRef => ({
  group: rbacGroup,
  version: 'v1',
  kind,
  plural,
  namespaced,
});
const clusterRoles = rbac('ClusterRole', 'clusterroles', false);
const roleBindings = rbac('RoleBinding', 'rolebindings', true);

/**
 * The ClusterRole of processes that report their gates and follow what is published.
 * Bound in a namespace it is all that a component there needs.
 */
export const reporterRole = 'slipway:feature-reporter';

/**
 * Makes the role of reporters, and gives it to Kubernetes' own components in the
 * namespace where they report. Third parties bind it in their own.
 * @throws StatusError when the API server refuses it.
 */
export async function installReporterRole(kube: Kube, signal?: AbortSignal): Promise<void> {
  await putObject(kube, clusterRoles, reporterRoleObject(), signal);
  await putObject(kube, roleBindings, componentsBinding(), signal);
}

/** The ClusterRole of reporters. */
export function reporterRoleObject(): Role {
  return newRole(reporterRole, [
    { apiGroups: [group], resources: ['featurevectors'], verbs: ['create'] },
    { apiGroups: [group], resources: ['featureuses'], verbs: ['create', 'delete', 'get', 'patch'] },
    { apiGroups: [group], resources: ['features'], verbs: ['get', 'list', 'watch'] },
    // Where the feature server calls for fresh reports.
    { apiGroups: [''], resources: ['configmaps'], resourceNames: [epochConfigMap], verbs: ['get', 'list', 'watch'] },
  ]);
}

function componentsBinding(): KubeObject {
  const nodes = roleBinding(reporterRoleObject(), { kind: 'Group', name: 'system:nodes' }, kubernetesNamespace);
  const user = (name: string) => ({ kind: 'User', apiGroup: rbacGroup, name });
  const components = ['system:kube-controller-manager', 'system:kube-scheduler'].map(user);
  return { ...nodes, subjects: [...nodes.subjects, ...components] };
}
