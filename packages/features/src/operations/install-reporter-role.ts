import { epochConfigMap } from '@slipway/feature-gates';
import { installer, type Kube, type KubeObject, type ResourceRef } from '@slipway/kube';
import { group, kubernetesNamespace } from '../api/group.js';

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
  await put(kube, clusterRoles, roleObject(), signal);
  await put(kube, roleBindings, componentsBinding(), signal);
}

function roleObject(): KubeObject {
  const rules = [
    { apiGroups: [group], resources: ['featurevectors'], verbs: ['create'] },
    { apiGroups: [group], resources: ['featureuses'], verbs: ['create', 'delete', 'get', 'patch'] },
    { apiGroups: [group], resources: ['features'], verbs: ['get', 'list', 'watch'] },
    // Where the feature server calls for fresh reports.
    { apiGroups: [''], resources: ['configmaps'], resourceNames: [epochConfigMap], verbs: ['get', 'list', 'watch'] },
  ];
  return { apiVersion: `${rbacGroup}/v1`, kind: 'ClusterRole', metadata: { name: reporterRole }, rules };
}

function componentsBinding(): KubeObject {
  const user = (name: string) => ({ kind: 'User', apiGroup: rbacGroup, name });
  return {
    apiVersion: `${rbacGroup}/v1`,
    kind: 'RoleBinding',
    metadata: { name: reporterRole, namespace: kubernetesNamespace },
    roleRef: { apiGroup: rbacGroup, kind: 'ClusterRole', name: reporterRole },
    subjects: [
      { kind: 'Group', apiGroup: rbacGroup, name: 'system:nodes' },
      user('system:kube-controller-manager'),
      user('system:kube-scheduler'),
    ],
  };
}

/** Creates an object, or brings the one that is there to what is wanted. */
async function put(kube: Kube, resource: ResourceRef, wanted: KubeObject, signal?: AbortSignal): Promise<void> {
  const { name = '', ...metadata } = wanted.metadata;
  const options = { fieldManager: installer, force: true, signal };
  await kube.resource(resource).apply({ ...wanted, metadata: { ...metadata, name } }, options);
}
