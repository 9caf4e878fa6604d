import { allow, read } from './role-text.js';

/** What every node may do; access to single objects is looked at more closely. */
export const nodeRules = [
  allow('create', 'authentication.k8s.io', 'tokenreviews'),
  allow('create', 'authorization.k8s.io', 'localsubjectaccessreviews subjectaccessreviews'),
  allow(read, 'core', 'services'),
  allow('create get list watch', 'core', 'nodes'),
  allow('patch update', 'core', 'nodes/status'),
  allow('patch update', 'core', 'nodes'),
  allow('create patch update', 'core', 'events'),
  allow(read, 'core', 'pods'),
  allow('create delete', 'core', 'pods'),
  allow('patch update', 'core', 'pods/status'),
  allow('create', 'core', 'pods/eviction'),
  allow(read, 'core', 'configmaps secrets'),
  allow('get', 'core', 'persistentvolumeclaims persistentvolumes'),
  allow('get', 'core', 'endpoints'),
  allow(`create ${read}`, 'certificates.k8s.io', 'certificatesigningrequests'),
  allow('create delete get patch update', 'coordination.k8s.io', 'leases'),
  allow('create', 'core', 'serviceaccounts/token'),
  allow('patch update', 'core', 'persistentvolumeclaims/status'),
  allow(read, 'node.k8s.io', 'runtimeclasses'),
];
