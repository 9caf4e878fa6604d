import type { PolicyRule } from '@slipway/api-machinery/identity/access';
import { allow, type DeclaredBinding, type DeclaredRole, events, read } from './role-text.js';

/**
 * What each controller may do, by the name of its service account in kube-system:
 * as in Kubernetes, as far as there is such a controller here. Where those of Kubernetes
 * update, ours may patch as well: they send what changes; and where those patch, some of ours
 * get and update.
 */
const rulesOf: Readonly<Record<string, readonly PolicyRule[]>> = {
  'certificate-controller': [
    allow(`${read} delete`, 'certificates.k8s.io', 'certificatesigningrequests'),
    allow(
      'patch update',
      'certificates.k8s.io',
      'certificatesigningrequests/approval certificatesigningrequests/status',
    ),
    allow('approve', 'certificates.k8s.io', 'signers', 'kubernetes.io/kube-apiserver-client-kubelet'),
    allow(
      'sign',
      'certificates.k8s.io',
      'signers',
      'kubernetes.io/kube-apiserver-client kubernetes.io/kube-apiserver-client-kubelet kubernetes.io/kubelet-serving kubernetes.io/legacy-unknown',
    ),
    allow('create', 'authorization.k8s.io', 'subjectaccessreviews'),
    events,
  ],
  'clusterrole-aggregation-controller': [
    allow(`escalate ${read} patch update`, 'rbac.authorization.k8s.io', 'clusterroles'),
  ],
  'cronjob-controller': [
    allow(`${read} patch update`, 'batch', 'cronjobs'),
    allow(`${read} create delete patch update`, 'batch', 'jobs'),
    allow('patch update', 'batch', 'cronjobs/finalizers cronjobs/status'),
    allow('delete list watch', 'core', 'pods'),
    events,
  ],
  'daemon-set-controller': [
    allow(read, 'apps', 'daemonsets'),
    allow('patch update', 'apps', 'daemonsets/finalizers daemonsets/status'),
    allow('list watch', 'core', 'nodes'),
    allow('create delete list patch watch', 'core', 'pods'),
    allow('create', 'core', 'pods/binding'),
    allow(`${read} create delete patch update`, 'apps', 'controllerrevisions'),
    events,
  ],
  'deployment-controller': [
    allow(`${read} patch update`, 'apps', 'deployments'),
    allow('patch update', 'apps', 'deployments/finalizers deployments/status'),
    allow(`${read} create delete patch update`, 'apps', 'replicasets'),
    allow(`${read} patch update`, 'core', 'pods'),
    events,
  ],
  'disruption-controller': [
    allow(read, 'apps', 'deployments replicasets statefulsets'),
    allow(read, 'core', 'replicationcontrollers'),
    allow(read, 'policy', 'poddisruptionbudgets'),
    allow('patch update', 'policy', 'poddisruptionbudgets/status'),
    allow('patch update', 'core', 'pods/status'),
    allow('get', '*', '*/scale'),
    events,
  ],
  'endpoint-controller': [
    allow(read, 'core', 'pods services'),
    allow(`${read} create delete patch update`, 'core', 'endpoints'),
    allow('create', 'core', 'endpoints/restricted'),
    events,
  ],
  'endpointslice-controller': [
    allow(read, 'core', 'nodes pods services'),
    allow('patch update', 'core', 'services/finalizers'),
    allow(`${read} create delete patch update`, 'discovery.k8s.io', 'endpointslices'),
    events,
  ],
  'endpointslicemirroring-controller': [
    allow(read, 'core', 'endpoints services'),
    allow('update', 'core', 'endpoints/finalizers services/finalizers'),
    allow(`${read} create delete update`, 'discovery.k8s.io', 'endpointslices'),
    events,
  ],
  'generic-garbage-collector': [allow(`${read} delete patch update`, '*', '*'), events],
  'horizontal-pod-autoscaler': [
    allow(read, 'autoscaling', 'horizontalpodautoscalers'),
    allow('patch update', 'autoscaling', 'horizontalpodautoscalers/status'),
    allow('get patch update', '*', '*/scale'),
    allow('list watch', 'core', 'pods'),
    allow('list watch', 'metrics.k8s.io', 'pods'),
    events,
  ],
  'job-controller': [
    allow(`${read} patch update`, 'batch', 'jobs'),
    allow('patch update', 'batch', 'jobs/finalizers jobs/status'),
    allow(`${read} create delete patch update`, 'core', 'pods'),
    events,
  ],
  'namespace-controller': [
    allow(`${read} delete`, 'core', 'namespaces'),
    allow('patch update', 'core', 'namespaces/finalize namespaces/status'),
    allow(`${read} delete deletecollection`, '*', '*'),
  ],
  'node-controller': [
    allow(`${read} delete patch update`, 'core', 'nodes'),
    allow('patch update', 'core', 'nodes/status pods/status'),
    allow(`${read} delete`, 'core', 'pods'),
    events,
  ],
  'persistent-volume-binder': [
    allow(`${read} create delete patch update`, 'core', 'persistentvolumes'),
    allow('patch update', 'core', 'persistentvolumeclaims/status persistentvolumes/status'),
    allow(`${read} patch update`, 'core', 'persistentvolumeclaims'),
    allow(`${read} create delete`, 'core', 'pods'),
    allow(read, 'storage.k8s.io', 'storageclasses'),
    allow('list watch', 'core', 'nodes'),
    events,
  ],
  'pod-garbage-collector': [
    allow(`${read} delete`, 'core', 'pods'),
    allow(read, 'core', 'nodes'),
    allow('patch update', 'core', 'pods/status'),
  ],
  'pv-protection-controller': [allow(`${read} patch update`, 'core', 'persistentvolumes'), events],
  'pvc-protection-controller': [
    allow(`${read} patch update`, 'core', 'persistentvolumeclaims'),
    allow(read, 'core', 'pods'),
    events,
  ],
  'replicaset-controller': [
    allow(`${read} patch update`, 'apps', 'replicasets'),
    allow('patch update', 'apps', 'replicasets/finalizers replicasets/status'),
    allow('create delete list patch watch', 'core', 'pods'),
    events,
  ],
  'replication-controller': [
    allow(`${read} patch update`, 'core', 'replicationcontrollers'),
    allow('patch update', 'core', 'replicationcontrollers/finalizers replicationcontrollers/status'),
    allow('create delete list patch watch', 'core', 'pods'),
    events,
  ],
  'resourcequota-controller': [
    allow('list watch', '*', '*'),
    allow('patch update', 'core', 'resourcequotas/status'),
    events,
  ],
  'root-ca-cert-publisher': [allow('create patch update', 'core', 'configmaps'), events],
  'service-account-controller': [allow('create', 'core', 'serviceaccounts'), events],
  'statefulset-controller': [
    allow('list watch', 'core', 'pods'),
    allow(read, 'apps', 'statefulsets'),
    allow('patch update', 'apps', 'statefulsets/finalizers statefulsets/status'),
    allow('create delete get patch update', 'core', 'pods'),
    allow(`${read} create delete patch update`, 'apps', 'controllerrevisions'),
    allow('create get list watch', 'core', 'persistentvolumeclaims'),
    allow('delete patch update', 'core', 'persistentvolumeclaims'),
    allow('patch update', 'core', 'pods/finalizers'),
    events,
  ],
  'storage-version-migrator-controller': [
    allow('list patch', '*', '*'),
    allow('get', 'apiextensions.k8s.io', 'customresourcedefinitions'),
    allow('patch', 'apiextensions.k8s.io', 'customresourcedefinitions/status'),
    allow('update', 'storagemigration.k8s.io', 'storageversionmigrations/status'),
  ],
  'ttl-after-finished-controller': [allow(`${read} delete`, 'batch', 'jobs'), events],
  'validatingadmissionpolicy-status-controller': [
    allow(read, 'admissionregistration.k8s.io', 'validatingadmissionpolicies'),
    allow('get patch update', 'admissionregistration.k8s.io', 'validatingadmissionpolicies/status'),
    events,
  ],
};

const roleOf = (controller: string) => `system:controller:${controller}`;

export const controllerRoles: readonly DeclaredRole[] = Object.entries(rulesOf).map(([controller, rules]) => ({
  name: roleOf(controller),
  rules,
}));

export const controllerBindings: readonly DeclaredBinding[] = Object.keys(rulesOf).map((controller) => ({
  role: roleOf(controller),
  accounts: [controller],
}));
