import { type Kube, type KubeObject, type ResourceRef, roleBinding } from '@slipway/kube';
import { kubernetesNamespace } from '../api/group.js';
import { reporterRoleObject } from '../rbac/reporter-role.js';
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
 * Makes the role of reporters, and gives it to Kubernetes' own components in the
 * namespace where they report. Third parties bind it in their own.
 * @throws StatusError when the API server refuses it.
 */
export async function installReporterRole(kube: Kube, signal?: AbortSignal): Promise<void> {
  await putObject(kube, clusterRoles, reporterRoleObject(), signal);
  await putObject(kube, roleBindings, componentsBinding(), signal);
}

function componentsBinding(): KubeObject {
  const nodes = roleBinding(reporterRoleObject(), { kind: 'Group', name: 'system:nodes' }, kubernetesNamespace);
  const user = (name: string) => ({ kind: 'User', apiGroup: rbacGroup, name });
  const components = ['system:kube-controller-manager', 'system:kube-scheduler'].map(user);
  return { ...nodes, subjects: [...nodes.subjects, ...components] };
}
