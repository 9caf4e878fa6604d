import type { Access } from '@slipway/api-machinery/identity/access';
import type { User } from '@slipway/api-machinery/identity/user';
import { defaultVersion, minorOf } from '@slipway/api-machinery/schema/supported-versions';
import { bootstrapRoles } from '@slipway/devcluster/bootstrap-roles';
import { admin, aServer, type Reply, replyOf } from '@slipway/devcluster/testing/a-server';
import { Kube } from '@slipway/kube';
import type { ApiServer } from '../../server.js';
import { inprocTransport } from '../../transport/inproc-transport.js';

/** A server with the roles that every cluster has. */
export async function aServerWithRoles() {
  const server = await aServer();
  const kube = new Kube(inprocTransport(server.api, admin), { clock: server.clock });
  await bootstrapRoles(kube, minorOf(defaultVersion));
  return server;
}

/** A user that everybody knows, by name. */
export function aUser(name: string, ...groups: string[]): User {
  return { name, groups: [...groups, 'system:authenticated'] };
}

/** The access of listing pods of a namespace. */
export function listingPods(namespace = 'default'): Access {
  const pods = { group: '', version: 'v1', resource: 'pods', subresource: '', name: '' };
  return { kind: 'resource', verb: 'list', ...pods, namespace };
}

/** Sends requests as a user; undefined = anonymous, unless a header names a user. */
export function askAs(api: ApiServer, user: User | undefined) {
  return async (
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Reply> => {
    const sent = body === undefined ? {} : { body: { value: body } };
    return replyOf(await api.handle({ method, path, headers, user, ...sent }));
  };
}

/** A Role or ClusterRole that permits `verbs` on `resources` of a group. */
export function aRole(name: string, verbs: string, resources: string, apiGroup = '', namespace?: string) {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: namespace === undefined ? 'ClusterRole' : 'Role',
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    rules: [{ verbs: verbs.split(' '), apiGroups: [apiGroup], resources: resources.split(' ') }],
  };
}

/** A binding of a role to a user; with a namespace a RoleBinding. */
export function aBinding(
  name: string,
  roleKind: 'Role' | 'ClusterRole',
  role: string,
  user: string,
  namespace?: string,
) {
  const apiGroup = 'rbac.authorization.k8s.io';
  return {
    apiVersion: `${apiGroup}/v1`,
    kind: namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    subjects: [{ kind: 'User', name: user, apiGroup }],
    roleRef: { apiGroup, kind: roleKind, name: role },
  };
}

const rbac = '/apis/rbac.authorization.k8s.io/v1';

/** Where objects of RBAC are made. */
export const rbacPaths = {
  clusterRoles: `${rbac}/clusterroles`,
  clusterRoleBindings: `${rbac}/clusterrolebindings`,
  roles: `${rbac}/namespaces/default/roles`,
  roleBindings: `${rbac}/namespaces/default/rolebindings`,
};
