import { nodeRules } from './node-rules.js';
import { allow, type DeclaredBinding, type DeclaredRole, events, read } from './role-text.js';

const reviews = [
  allow('create', 'authentication.k8s.io', 'tokenreviews'),
  allow('create', 'authorization.k8s.io', 'subjectaccessreviews'),
];

/** The roles of the components, and of those who check others' permissions. */
export const componentRoles: readonly DeclaredRole[] = [
  { name: 'system:node', rules: nodeRules },
  { name: 'system:auth-delegator', rules: reviews },
  {
    name: 'system:kube-controller-manager',
    rules: [
      events,
      allow('create', 'coordination.k8s.io', 'leases'),
      allow('get update', 'coordination.k8s.io', 'leases', 'kube-controller-manager'),
      allow('create', 'core', 'secrets serviceaccounts'),
      allow('delete', 'core', 'secrets'),
      allow('get', 'core', 'configmaps namespaces secrets serviceaccounts'),
      allow('update', 'core', 'secrets serviceaccounts'),
      ...reviews,
      // The caches that its controllers share.
      allow('list watch', '*', '*'),
      allow('create', 'core', 'serviceaccounts/token'),
    ],
  },
  {
    name: 'system:kube-scheduler',
    rules: [
      events,
      allow('create', 'coordination.k8s.io', 'leases'),
      allow('get list watch update', 'coordination.k8s.io', 'leases', 'kube-scheduler'),
      allow(read, 'core', 'namespaces nodes'),
      allow('delete get list watch', 'core', 'pods'),
      allow('create', 'core', 'bindings pods/binding'),
      allow('patch update', 'core', 'pods/status'),
      allow(read, 'core', 'replicationcontrollers services'),
      allow(read, 'apps', 'replicasets statefulsets'),
      allow(read, 'policy', 'poddisruptionbudgets'),
      allow(read, 'core', 'persistentvolumeclaims persistentvolumes'),
      allow(read, 'storage.k8s.io', 'csidrivers csinodes csistoragecapacities storageclasses'),
      ...reviews,
    ],
  },
  // Ours alone: the simulated kubelets share what they hear.
  { name: 'system:slipway:kubelets', rules: [events, allow(read, 'core', 'nodes pods')] },
  {
    name: 'system:volume-scheduler',
    rules: [
      allow(`${read} patch update`, 'core', 'persistentvolumes'),
      allow(read, 'storage.k8s.io', 'storageclasses'),
      allow(`${read} patch update`, 'core', 'persistentvolumeclaims'),
    ],
  },
];

/** The node authorizer authorizes nodes, so their role has no binding. */
export const componentBindings: readonly DeclaredBinding[] = [
  { role: 'system:kube-controller-manager', users: ['system:kube-controller-manager'] },
  { role: 'system:kube-scheduler', users: ['system:kube-scheduler'] },
  { role: 'system:slipway:kubelets', users: ['system:slipway:kubelets'] },
  { role: 'system:volume-scheduler', users: ['system:kube-scheduler'] },
];
