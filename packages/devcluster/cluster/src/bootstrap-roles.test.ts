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
  await bootstrapRoles(kube, 37);
  return { ...server, kube, again: () => bootstrapRoles(kube, 37) };
}

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
  const { ask, api, kube, store } = await setUp();
  for (const name of ['kube-system', 'kube-public']) {
    await ask('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
  await bootstrapOtherRoles(kube, 37);
  const { revision } = store;
  await bootstrapOtherRoles(kube, 37);
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
  const account = { name: 'system:serviceaccount:default:used', groups: ['system:serviceaccounts'] };
  const path = '/apis/certificates.k8s.io/v1/clustertrustbundles';
  expect((await api.handle({ method: 'GET', path, headers: {}, user: account })).status).toBe(200);
});

test('controllers may send what changes where those of Kubernetes write whole objects', async () => {
  const { ask } = await setUp();
  const { body } = await ask('GET', `${clusterRoles}/system:controller:deployment-controller`);
  expect(body.rules).toContainEqual({
    verbs: ['update', 'patch'],
    apiGroups: ['apps', 'extensions'],
    resources: ['deployments/status'],
  });
});
