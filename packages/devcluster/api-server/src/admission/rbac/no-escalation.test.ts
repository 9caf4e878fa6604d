import { aServer } from '@slipway/devcluster/testing/a-server';
import { expect, test } from 'vitest';
import { aBinding, aRole, askAs, aUser, rbacPaths } from '../../auth/testing/ask-as.js';

const group = 'rbac.authorization.k8s.io';
const everyRbac = aRole(
  'rbac',
  'get list create update patch delete',
  'clusterroles clusterrolebindings roles rolebindings',
  group,
);

/** A server on which jane may write roles and bindings, and holds `get list` of pods. */
async function setUp() {
  const server = await aServer();
  const { ask, api } = server;
  for (const role of [everyRbac, aRole('pods', 'get list', 'pods')]) {
    await ask('POST', rbacPaths.clusterRoles, role);
    await ask(
      'POST',
      rbacPaths.clusterRoleBindings,
      aBinding(role.metadata.name, 'ClusterRole', role.metadata.name, 'jane'),
    );
  }
  return { ...server, asJane: askAs(api, aUser('jane')) };
}

const lacking = (resource: string, name: string, rights: string) =>
  `${resource}.${group} "${name}" is forbidden: user "jane" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n${rights}`;

test('a role with what one holds is made, and one with more is not', async () => {
  const { asJane } = await setUp();
  expect((await asJane('POST', rbacPaths.roles, aRole('a', 'get', 'pods', '', 'default'))).status).toBe(201);
  const more = await asJane('POST', rbacPaths.roles, aRole('b', 'get list delete', 'pods secrets', '', 'default'));
  expect(more.status).toBe(403);
  const rights = [
    '{APIGroups:[""], Resources:["pods"], Verbs:["delete"]}',
    '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list" "delete"]}',
  ];
  expect(more.body.message).toBe(lacking('roles', 'b', rights.join('\n')));
});

test('an update, a patch and a cluster role are looked at in the same way', async () => {
  const { ask, asJane } = await setUp();
  const role = aRole('a', 'get', 'pods');
  expect((await asJane('POST', rbacPaths.clusterRoles, role)).status).toBe(201);
  const wider = { ...role, rules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }] };
  const path = `${rbacPaths.clusterRoles}/a`;
  const says = lacking('clusterroles', 'a', '{APIGroups:["*"], Resources:["*"], Verbs:["*"]}');
  expect((await asJane('PUT', path, wider)).body.message).toBe(says);
  const patch = { 'content-type': 'application/merge-patch+json' };
  expect((await asJane('PATCH', path, { rules: wider.rules }, patch)).body.message).toBe(says);
  expect((await ask('GET', path)).body.rules).toEqual(role.rules);
});

test('the verb escalate is permission to write any role', async () => {
  const { ask, asJane } = await setUp();
  await ask('POST', rbacPaths.clusterRoles, aRole('escalate', 'escalate', 'roles', group));
  await ask('POST', rbacPaths.clusterRoleBindings, aBinding('escalate', 'ClusterRole', 'escalate', 'jane'));
  expect((await asJane('POST', rbacPaths.roles, aRole('b', '*', '*', '', 'default'))).status).toBe(201);
  expect((await asJane('POST', rbacPaths.clusterRoles, aRole('b', '*', '*'))).status).toBe(403);
});

test('a binding takes what its role gives, or the verb bind', async () => {
  const { ask, asJane } = await setUp();
  await ask('POST', rbacPaths.clusterRoles, aRole('secrets', 'get', 'secrets'));
  const binding = aBinding('s', 'ClusterRole', 'secrets', 'john', 'default');
  const refused = await asJane('POST', rbacPaths.roleBindings, binding);
  expect(refused.body.message).toBe(
    lacking('rolebindings', 's', '{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}'),
  );
  expect(
    (await asJane('POST', rbacPaths.roleBindings, aBinding('p', 'ClusterRole', 'pods', 'john', 'default'))).status,
  ).toBe(201);
  const bind = aRole('bind', 'bind', 'clusterroles', group);
  await ask('POST', rbacPaths.clusterRoles, { ...bind, rules: [{ ...bind.rules[0], resourceNames: ['secrets'] }] });
  await ask('POST', rbacPaths.clusterRoleBindings, aBinding('bind', 'ClusterRole', 'bind', 'jane'));
  expect((await asJane('POST', rbacPaths.roleBindings, binding)).status).toBe(201);
});

test('a role must be there before somebody who is not an administrator binds it', async () => {
  const { ask, asJane } = await setUp();
  const binding = aBinding('x', 'Role', 'nosuch', 'john', 'default');
  const early = await asJane('POST', rbacPaths.roleBindings, binding);
  expect([early.status, early.body.message]).toEqual([404, `roles.${group} "nosuch" not found`]);
  expect((await ask('POST', rbacPaths.roleBindings, binding)).status).toBe(201);
});

test('a role made of others could become anything', async () => {
  const { asJane } = await setUp();
  const aggregated = {
    ...aRole('a', 'get', 'pods'),
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] },
  };
  const { status, body } = await asJane('POST', rbacPaths.clusterRoles, aggregated);
  expect(status).toBe(403);
  expect(body.message).toBe(
    `clusterroles.${group} "a" is forbidden: must have cluster-admin privileges to use the aggregationRule`,
  );
});

test('who only lets go of a role that others wrote gives nothing away', async () => {
  const { ask, asJane } = await setUp();
  const role = aRole('wide', '*', '*', '', 'default');
  const held = { ...role, metadata: { ...role.metadata, finalizers: ['example.com/hold'] } };
  await ask('POST', rbacPaths.roles, held);
  const patch = { 'content-type': 'application/merge-patch+json' };
  const path = `${rbacPaths.roles}/wide`;
  expect((await asJane('PATCH', path, { metadata: { labels: { a: 'b' } } }, patch)).status).toBe(403);
  expect((await asJane('PATCH', path, { metadata: { finalizers: null } }, patch)).status).toBe(200);
});
