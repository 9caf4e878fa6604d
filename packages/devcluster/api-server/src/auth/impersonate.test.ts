import { expect, test } from 'vitest';
import { aBinding, aRole, aServerWithRoles, askAs, aUser, rbacPaths } from './testing/ask-as.js';

const whoami = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
const admin = aUser('root', 'system:masters');

// headers | who the server takes the client for
const asked: [Record<string, string>, object][] = [
  [{ 'impersonate-user': 'jane' }, { username: 'jane', groups: ['system:authenticated'] }],
  [
    { 'impersonate-user': 'jane', 'impersonate-group': 'devs' },
    { username: 'jane', groups: ['devs', 'system:authenticated'] },
  ],
  [
    { 'impersonate-user': 'system:serviceaccount:ns:sa' },
    {
      username: 'system:serviceaccount:ns:sa',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:ns', 'system:authenticated'],
    },
  ],
  [
    {
      'impersonate-user': 'jane',
      'impersonate-uid': 'u1',
      'impersonate-extra-scopes': 'view',
      'impersonate-extra-example.com%2fteam': 'red',
    },
    {
      username: 'jane',
      uid: 'u1',
      groups: ['system:authenticated'],
      extra: { scopes: ['view'], 'example.com/team': ['red'] },
    },
  ],
  ...['constructor', 'tostring', 'valueof'].map((key): [Record<string, string>, object] => [
    { 'impersonate-user': 'jane', [`impersonate-extra-${key}`]: 'x' },
    { username: 'jane', groups: ['system:authenticated'], extra: { [key]: ['x'] } },
  ]),
];

test('an extra that is called __proto__ is a key like any other', async () => {
  const { api } = await aServerWithRoles();
  const headers = { 'impersonate-user': 'jane', 'impersonate-extra-__proto__': 'x' };
  expect((await askAs(api, admin)('POST', whoami, review, headers)).status).toBe(201);
  expect((await askAs(api, aUser('mallory'))('POST', whoami, review, headers)).status).toBe(403);
});

test.each(asked)('an administrator who asks for %o is taken for that', async (headers, userInfo) => {
  const { api } = await aServerWithRoles();
  const { status, body } = await askAs(api, admin)('POST', whoami, review, headers);
  expect(status).toBe(201);
  expect(body.status).toEqual({ userInfo });
});

test('headers that are repeated give several groups, each as it is written', async () => {
  const { api } = await aServerWithRoles();
  const groups = ['cn=a,ou=b', 'devs'];
  const headers = { 'impersonate-user': 'jane', 'impersonate-group': groups.join(', ') };
  const answer = await api.handle({
    method: 'POST',
    path: whoami,
    headers,
    allHeaders: () => ({ 'impersonate-user': ['jane'], 'impersonate-group': groups }),
    user: admin,
    body: { value: review },
  });
  if (answer.payload?.kind !== 'json') throw new Error('no JSON');
  expect(answer.payload.json.value()).toMatchObject({
    status: { userInfo: { groups: ['cn=a,ou=b', 'devs', 'system:authenticated'] } },
  });
});

// headers | what the refusal of somebody without a role says
const refused: [Record<string, string>, string][] = [
  [
    { 'impersonate-user': 'john' },
    'users "john" is forbidden: User "jane" cannot impersonate resource "users" in API group "" at the cluster scope',
  ],
  [
    { 'impersonate-user': 'system:serviceaccount:ns:sa' },
    'serviceaccounts "sa" is forbidden: User "jane" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "ns"',
  ],
];

test.each(refused)('somebody without a role who asks for %o is refused', async (headers, message) => {
  const { api } = await aServerWithRoles();
  const { status, body } = await askAs(api, aUser('jane'))('POST', whoami, review, headers);
  expect([status, body.message]).toEqual([403, message]);
});

test('each part of the other needs permission of its own', async () => {
  const { api, ask } = await aServerWithRoles();
  await ask('POST', rbacPaths.clusterRoles, aRole('users', 'impersonate', 'users groups'));
  await ask('POST', rbacPaths.clusterRoleBindings, aBinding('b', 'ClusterRole', 'users', 'jane'));
  const asJane = (headers: Record<string, string>) => askAs(api, aUser('jane'))('POST', whoami, review, headers);
  expect((await asJane({ 'impersonate-user': 'john', 'impersonate-group': 'devs' })).status).toBe(201);
  const uid = await asJane({ 'impersonate-user': 'john', 'impersonate-uid': 'u' });
  expect(uid.body.message).toContain('cannot impersonate resource "uids" in API group "authentication.k8s.io"');
  const extra = await asJane({ 'impersonate-user': 'john', 'impersonate-extra-scopes': 'view' });
  expect(extra.body.message).toContain(
    'cannot impersonate resource "userextras/scopes" in API group "authentication.k8s.io"',
  );
});

test('who impersonates has the permissions of the other only', async () => {
  const { api } = await aServerWithRoles();
  const { status, body } = await askAs(api, admin)('GET', '/api/v1/pods', undefined, { 'impersonate-user': 'jane' });
  expect(status).toBe(403);
  expect(body.message).toContain('User "jane" cannot list resource "pods"');
});
