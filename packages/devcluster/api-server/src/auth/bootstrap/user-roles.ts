import { allow, allowPaths, type DeclaredBinding, type DeclaredRole, read, readWrite, write } from './role-text.js';

const aggregateTo = (role: string) => `rbac.authorization.k8s.io/aggregate-to-${role}`;
const partOf = (role: string) => ({ [aggregateTo(role)]: 'true' });
const podAccess = 'pods/attach pods/exec pods/portforward pods/proxy';
const ofApps = 'daemonsets deployments deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale';
/** Kinds as they were called before they got groups of their own; roles name them still. */
const ofExtensions =
  'daemonsets deployments deployments/scale ingresses networkpolicies replicasets replicasets/scale replicationcontrollers/scale';

/**
 * The roles that people are given. `view`, `edit` and `admin` grow with roles that
 * carry their labels; what users make of kinds of their own is not in them until
 * they say so.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/#user-facing-roles
 */
export const userRoles: readonly DeclaredRole[] = [
  { name: 'cluster-admin', rules: [allow('*', '*', '*'), allowPaths('*', '*')] },
  { name: 'admin', rules: [], aggregates: aggregateTo('admin') },
  { name: 'edit', rules: [], aggregates: aggregateTo('edit'), labels: partOf('admin') },
  { name: 'view', rules: [], aggregates: aggregateTo('view'), labels: partOf('edit') },
  {
    name: 'system:aggregate-to-admin',
    labels: partOf('admin'),
    rules: [
      allow('create', 'authorization.k8s.io', 'localsubjectaccessreviews'),
      allow(readWrite, 'rbac.authorization.k8s.io', 'rolebindings roles'),
    ],
  },
  {
    name: 'system:aggregate-to-edit',
    labels: partOf('edit'),
    rules: [
      allow(read, 'core', `${podAccess} secrets services/proxy`),
      allow('impersonate', 'core', 'serviceaccounts'),
      allow(write, 'core', `pods ${podAccess}`),
      allow('create', 'core', 'pods/eviction'),
      allow(
        write,
        'core',
        'configmaps events persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy',
      ),
      allow('create', 'core', 'serviceaccounts/token'),
      allow(write, 'apps', `deployments/rollback ${ofApps}`),
      allow(write, 'autoscaling', 'horizontalpodautoscalers'),
      allow(write, 'batch', 'cronjobs jobs'),
      allow(write, 'extensions', `deployments/rollback ${ofExtensions}`),
      allow(write, 'policy', 'poddisruptionbudgets'),
      allow(write, 'networking.k8s.io', 'ingresses networkpolicies'),
      allow(readWrite, 'coordination.k8s.io', 'leases'),
    ],
  },
  {
    name: 'system:aggregate-to-view',
    labels: partOf('view'),
    rules: [
      allow(
        read,
        'core',
        'configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status',
      ),
      allow(
        read,
        'core',
        'bindings events limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status',
      ),
      allow(read, 'core', 'namespaces'),
      allow(read, 'discovery.k8s.io', 'endpointslices'),
      allow(
        read,
        'apps',
        `controllerrevisions daemonsets/status deployments/status replicasets/status statefulsets/status ${ofApps}`,
      ),
      allow(read, 'autoscaling', 'horizontalpodautoscalers horizontalpodautoscalers/status'),
      allow(read, 'batch', 'cronjobs cronjobs/status jobs jobs/status'),
      allow(
        read,
        'extensions',
        `daemonsets/status deployments/status ingresses/status replicasets/status ${ofExtensions}`,
      ),
      allow(read, 'policy', 'poddisruptionbudgets poddisruptionbudgets/status'),
      allow(read, 'networking.k8s.io', 'ingresses ingresses/status networkpolicies'),
    ],
  },
  {
    name: 'system:discovery',
    rules: [
      allowPaths('get', '/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/'),
    ],
  },
  {
    name: 'system:basic-user',
    rules: [
      allow('create', 'authorization.k8s.io', 'selfsubjectaccessreviews selfsubjectrulesreviews'),
      allow('create', 'authentication.k8s.io', 'selfsubjectreviews'),
    ],
  },
  { name: 'system:public-info-viewer', rules: [allowPaths('get', '/healthz /livez /readyz /version /version/')] },
  {
    name: 'system:monitoring',
    rules: [allowPaths('get', '/healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/*')],
  },
  {
    name: 'system:service-account-issuer-discovery',
    rules: [
      allowPaths(
        'get',
        '/.well-known/openid-configuration /.well-known/openid-configuration/ /openid/v1/jwks /openid/v1/jwks/',
      ),
    ],
  },
];

export const userBindings: readonly DeclaredBinding[] = [
  { role: 'cluster-admin', groups: ['system:masters'] },
  { role: 'system:discovery', groups: ['system:authenticated'] },
  { role: 'system:basic-user', groups: ['system:authenticated'] },
  { role: 'system:public-info-viewer', groups: ['system:authenticated', 'system:unauthenticated'] },
  { role: 'system:monitoring', groups: ['system:monitoring'] },
  { role: 'system:service-account-issuer-discovery', groups: ['system:serviceaccounts'] },
];
