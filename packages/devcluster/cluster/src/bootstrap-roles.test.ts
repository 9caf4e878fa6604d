import { componentBindings, componentRoles } from '@slipway/api-server/auth/bootstrap/component-roles';
import { controllerBindings, controllerRoles } from '@slipway/api-server/auth/bootstrap/controller-roles';
import { otherBindings, otherRoles } from '@slipway/api-server/auth/bootstrap/other-roles';
import { userBindings, userRoles } from '@slipway/api-server/auth/bootstrap/user-roles';
import { inprocTransport } from '@slipway/api-server/transport/inproc-transport';
import { Kube } from '@slipway/kube';
import { expect, test } from 'vitest';
import { bootstrapOtherRoles, bootstrapRoles } from './bootstrap-roles.js';
import { admin, aServer } from './testing/a-server.js';

const clusterRoles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
const scheduler = `${clusterRoles}/system:kube-scheduler`;

async function setUp() {
  const server = await aServer();
  const kube = new Kube(inprocTransport(server.api, admin), { clock: server.clock });
  await bootstrapRoles(kube);
  return { ...server, kube, again: () => bootstrapRoles(kube) };
}

test('every binding is to a role that there is, and every name is declared once', () => {
  const roles = [...userRoles, ...componentRoles, ...controllerRoles, ...otherRoles].map(({ name }) => name);
  const bound = [...userBindings, ...componentBindings, ...controllerBindings, ...otherBindings].map(
    ({ role }) => role,
  );
  expect(new Set(roles).size).toBe(roles.length);
  expect(bound.filter((role) => !roles.includes(role))).toEqual([]);
});

test('a start with everything there writes nothing', async () => {
  const { store, again } = await setUp();
  const { revision } = store;
  await again();
  expect(store.revision).toBe(revision);
});

test('a role that lacks something gets it, keeps what was added, and is left alone when it says so', async () => {
  const { ask, again } = await setUp();
  const { body: declared } = await ask('GET', scheduler);
  const added = { verbs: ['get'], apiGroups: ['example.com'], resources: ['things'] };
  await ask('PUT', scheduler, { ...declared, rules: [...declared.rules.slice(1), added] });
  await again();
  const { body: repaired } = await ask('GET', scheduler);
  expect(repaired.rules).toEqual([...declared.rules.slice(1), added, declared.rules[0]]);

  const annotations = { 'rbac.authorization.kubernetes.io/autoupdate': 'false' };
  const own = { ...repaired, metadata: { ...repaired.metadata, annotations }, rules: [added] };
  await ask('PUT', scheduler, own);
  await again();
  expect((await ask('GET', scheduler)).body.rules).toEqual([added]);
});

test('a binding gets back the subjects it lacks', async () => {
  const { ask, again } = await setUp();
  const path = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/cluster-admin';
  const { body } = await ask('GET', path);
  const mine = { kind: 'User', name: 'me', apiGroup: 'rbac.authorization.k8s.io' };
  await ask('PUT', path, { ...body, subjects: [mine] });
  await again();
  expect((await ask('GET', path)).body.subjects).toEqual([mine, ...body.subjects]);
});

test('the roles of kube-system and kube-public are there, with those who have them, and are written once', async () => {
  const { ask, kube, store } = await setUp();
  for (const name of ['kube-system', 'kube-public']) {
    await ask('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
  await bootstrapOtherRoles(kube);
  const { revision } = store;
  await bootstrapOtherRoles(kube);
  expect(store.revision).toBe(revision);
  const inSystem = '/apis/rbac.authorization.k8s.io/v1/namespaces/kube-system';
  const { body } = await ask('GET', `${inSystem}/rolebindings/system::extension-apiserver-authentication-reader`);
  expect(body).toMatchObject({
    roleRef: { kind: 'Role', name: 'extension-apiserver-authentication-reader' },
    subjects: [
      { kind: 'User', name: 'system:kube-controller-manager' },
      { kind: 'User', name: 'system:kube-scheduler' },
    ],
  });
  expect((await ask('GET', `${clusterRoles}/system:node-proxier`)).status).toBe(200);
});
