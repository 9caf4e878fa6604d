import type { PolicyRule } from '@slipway/api-machinery/identity/access';
import { allow, type DeclaredBinding, type DeclaredRole, events, read } from './role-text.js';

const certificates = 'certificates.k8s.io';
const approvers = ['kube-apiserver-client', 'kube-apiserver-client-kubelet', 'kubelet-serving', 'legacy-unknown'];

/** Roles of Kubernetes without default bindings, for people and add-ons. */
export const otherRoles: readonly DeclaredRole[] = [
  ...['nodeclient', 'selfnodeclient'].map((who) => ({
    name: `system:certificates.k8s.io:certificatesigningrequests:${who}`,
    rules: [allow('create', certificates, `certificatesigningrequests/${who}`)],
  })),
  ...approvers.map((signer) => ({
    name: `system:certificates.k8s.io:${signer}-approver`,
    rules: [allow('approve', certificates, 'signers', `kubernetes.io/${signer}`)],
  })),
  {
    name: 'system:heapster',
    rules: [allow(read, 'core', 'events namespaces nodes pods'), allow(read, 'extensions', 'deployments')],
  },
  { name: 'system:kube-aggregator', rules: [allow(read, 'core', 'endpoints services')] },
  { name: 'system:kube-dns', rules: [allow('list watch', 'core', 'endpoints services')] },
  {
    name: 'system:kubelet-api-admin',
    rules: [
      allow(read, 'core', 'nodes'),
      allow('proxy', 'core', 'nodes'),
      allow('*', 'core', 'nodes/configz nodes/healthz nodes/log nodes/metrics nodes/pods nodes/proxy nodes/stats'),
    ],
  },
  { name: 'system:node-bootstrapper', rules: [allow(`create ${read}`, certificates, 'certificatesigningrequests')] },
  {
    name: 'system:node-problem-detector',
    rules: [allow('get', 'core', 'nodes'), allow('patch', 'core', 'nodes/status'), events],
  },
  {
    name: 'system:node-proxier',
    rules: [
      allow('list watch', 'core', 'endpoints services'),
      allow(read, 'core', 'nodes'),
      events,
      allow('list watch', 'discovery.k8s.io', 'endpointslices'),
      allow('list watch', 'networking.k8s.io', 'servicecidrs'),
    ],
  },
  {
    name: 'system:persistent-volume-provisioner',
    rules: [
      allow(`create delete ${read}`, 'core', 'persistentvolumes'),
      allow(`${read} update`, 'core', 'persistentvolumeclaims'),
      allow(read, 'storage.k8s.io', 'storageclasses'),
      allow('watch', 'core', 'events'),
      events,
    ],
  },
];

export const otherBindings: readonly DeclaredBinding[] = [
  { role: 'system:kube-dns', accounts: ['kube-dns'] },
  { role: 'system:node-proxier', users: ['system:kube-proxy'] },
  // Nodes are let in by the node authorizer; the binding is there for those who know it.
  { role: 'system:node' },
];

/** A Role of one namespace, and who has it. */
export interface NamespacedRole {
  readonly namespace: 'kube-system' | 'kube-public';
  readonly name: string;
  readonly rules: readonly PolicyRule[];
  /** Name of the binding, where it is not that of the role. */
  readonly binding?: string;
  readonly users?: readonly string[];
  /** Service accounts of kube-system. */
  readonly accounts?: readonly string[];
}

const leaderLocks = ['kube-controller-manager', 'kube-scheduler'].map((component) => ({
  namespace: 'kube-system' as const,
  name: `system::leader-locking-${component}`,
  rules: [allow('watch', 'core', 'configmaps'), allow('get update', 'core', 'configmaps', component)],
  users: [`system:${component}`],
  accounts: [component],
}));

/** The roles of single namespaces. */
export const namespacedRoles: readonly NamespacedRole[] = [
  {
    namespace: 'kube-system',
    name: 'extension-apiserver-authentication-reader',
    rules: [allow(read, 'core', 'configmaps', 'extension-apiserver-authentication')],
    binding: 'system::extension-apiserver-authentication-reader',
    users: ['system:kube-controller-manager', 'system:kube-scheduler'],
  },
  {
    namespace: 'kube-system',
    name: 'system:controller:bootstrap-signer',
    rules: [allow(read, 'core', 'secrets')],
    accounts: ['bootstrap-signer'],
  },
  {
    namespace: 'kube-system',
    name: 'system:controller:cloud-provider',
    rules: [allow(`create ${read}`, 'core', 'configmaps')],
    accounts: ['cloud-provider'],
  },
  {
    namespace: 'kube-system',
    name: 'system:controller:token-cleaner',
    rules: [allow(`delete ${read}`, 'core', 'secrets'), events],
    accounts: ['token-cleaner'],
  },
  ...leaderLocks,
  {
    namespace: 'kube-public',
    name: 'system:controller:bootstrap-signer',
    rules: [allow(read, 'core', 'configmaps'), allow('update', 'core', 'configmaps', 'cluster-info'), events],
    accounts: ['bootstrap-signer'],
  },
];
