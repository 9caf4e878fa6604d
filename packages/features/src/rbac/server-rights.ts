import { epochConfigMap } from '@slipway/feature-gates';
import { type KubeObject, type PolicyRule, role, roleBinding, policyRule as rule } from '@slipway/kube';
import { group, kubernetesNamespace, serverNamespace } from '../api/group.js';
import { authorPolicyName } from './author-policy.js';
import { reporterRoleObject } from './reporter-role.js';

/** As whom a feature server talks to the API. */
export const serverAccount = {
  kind: 'ServiceAccount',
  namespace: serverNamespace,
  name: 'slipway-feature-server',
} as const;

/** In the whole cluster. Nothing of users: what a definition wants to be cleared, `rightsOf` gives. */
const everywhere: readonly PolicyRule[] = [
  // Patching: the label of what was only reported, once it is declared. Deleting: an unknown feature,
  // and the definition that a server once brought of it.
  rule(group, ['features'], ['get', 'list', 'watch', 'create', 'patch', 'delete']),
  rule(group, ['featuredefinitions'], ['list', 'watch', 'create', 'patch', 'delete']),
  rule(group, ['features/status', 'featuredefinitions/status'], ['patch']),
  rule(group, ['featureuses', 'featurevectors'], ['list', 'watch']),
  // Rosters: who should have reported.
  rule('', ['nodes', 'pods'], ['list', 'watch']),
  rule('coordination.k8s.io', ['leases'], ['list', 'watch']),
  rule('', ['events'], ['create', 'patch']),
  // The call for fresh reports. A name cannot be demanded of what is created.
  { ...rule('', ['configmaps'], ['get', 'update']), resourceNames: [epochConfigMap] },
  rule('', ['configmaps'], ['create']),
  // Whether those who want something may do it themselves, and whether the policy that vouches for them is in force.
  rule('authorization.k8s.io', ['subjectaccessreviews'], ['create']),
  {
    ...rule(
      'admissionregistration.k8s.io',
      ['validatingadmissionpolicies', 'validatingadmissionpolicybindings'],
      ['get'],
    ),
    resourceNames: [authorPolicyName],
  },
  // Each API server's own page.
  { nonResourceURLs: ['/metrics', '/flagz'], verbs: ['get'] },
];

/**
 * Guards: validating admission policies, which can deny writes and change none. The API server knows no narrower right
 * to make one: names are not known when a creation is authorized, and no policy or webhook is asked about policies.
 */
const guarding: readonly PolicyRule[] = [
  rule(
    'admissionregistration.k8s.io',
    ['validatingadmissionpolicies', 'validatingadmissionpolicybindings'],
    ['get', 'list', 'create', 'patch', 'delete'],
  ),
];

/** Where it runs: the leases by which servers know each other. All users may read them. */
const atHome: readonly PolicyRule[] = [rule('coordination.k8s.io', ['leases'], ['create', 'patch', 'delete'])];

/**
 * Returns the account of a feature server with the least rights it needs. Without guards it creates no admission
 * policy.
 */
export function serverRights({ guards }: { readonly guards: boolean }): readonly KubeObject[] {
  const { kind, ...metadata } = serverAccount;
  const everywhereElse = role(serverAccount.name, [...everywhere, ...(guards ? guarding : [])]);
  const apiServers = role(
    serverAccount.name,
    [{ apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list', 'watch'] }],
    'default',
  );
  const home = role(serverAccount.name, atHome, serverNamespace);
  // It speaks for API servers that do not report themselves.
  const speaks = roleBinding(reporterRoleObject(), serverAccount, kubernetesNamespace);
  return [
    { apiVersion: 'v1', kind, metadata },
    everywhereElse,
    apiServers,
    home,
    ...[everywhereElse, apiServers, home].map((each) => roleBinding(each, serverAccount)),
    { ...speaks, metadata: { ...speaks.metadata, name: serverAccount.name } },
  ];
}
