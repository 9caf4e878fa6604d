import type { Authorizer } from '@slipway/api-machinery/identity/access';
import { defaultVersion, minorOf } from '@slipway/api-machinery/schema/supported-versions';
import type { Store } from '@slipway/object-store/store';
import { clusterAuthorizer } from '../../auth/cluster-authorizer.js';
import type { RolePolicy } from '../../auth/rbac/role-policy.js';

const rules = [
  { verbs: ['get', 'list', 'watch'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['get'], nonResourceURLs: ['/api', '/api/*', '/apis', '/apis/*'] },
];

/** "Viewer may get, list and watch everything and read discovery", as it was on the recorded server. */
export function recordedAuthorizer(store: Store): Authorizer {
  const binding = {
    name: 'viewer',
    namespace: '',
    roleRef: { kind: 'ClusterRole', name: 'viewer' },
    subjects: [],
  } as const;
  const policy: Pick<RolePolicy, 'grantsOf'> = {
    grantsOf: ({ name }) => (name === 'viewer' ? [{ binding, rules }] : []),
  };
  return clusterAuthorizer(store, policy, minorOf(defaultVersion));
}
