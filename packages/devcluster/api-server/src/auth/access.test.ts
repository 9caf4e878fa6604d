import { aServer } from '@slipway/devcluster/testing/a-server';
import { expect, test } from 'vitest';
import { aBinding, aRole, askAs, aUser, rbacPaths } from './testing/ask-as.js';

const pods = '/api/v1/namespaces/default/pods';

// method | path | what the message says after the user's name
const refusals: [string, string, string][] = [
  ['GET', pods, 'cannot list resource "pods" in API group "" in the namespace "default"'],
  ['GET', `${pods}?watch=true`, 'cannot watch resource "pods" in API group "" in the namespace "default"'],
  ['GET', '/api/v1/watch/pods', 'cannot watch resource "pods" in API group "" at the cluster scope'],
  ['GET', '/api/v1/pods', 'cannot list resource "pods" in API group "" at the cluster scope'],
  ['POST', pods, 'cannot create resource "pods" in API group "" in the namespace "default"'],
  ['DELETE', pods, 'cannot deletecollection resource "pods" in API group "" in the namespace "default"'],
  ['GET', `${pods}/p/log`, 'cannot get resource "pods/log" in API group "" in the namespace "default"'],
  ['PUT', `${pods}/p/status`, 'cannot update resource "pods/status" in API group "" in the namespace "default"'],
  [
    'PATCH',
    '/apis/apps/v1/namespaces/x/deployments/d/scale',
    'cannot patch resource "deployments/scale" in API group "apps" in the namespace "x"',
  ],
  ['GET', '/api/v1/namespaces/x', 'cannot get resource "namespaces" in API group "" in the namespace "x"'],
  [
    'GET',
    '/apis/nosuch.example/v1/things',
    'cannot list resource "things" in API group "nosuch.example" at the cluster scope',
  ],
  ['GET', '/metrics', 'cannot get path "/metrics"'],
  ['POST', '/version', 'cannot post path "/version"'],
  ['GET', '/nosuch<b>', 'cannot get path "/nosuch&lt;b&gt;"'],
];

test.each(refusals)('%s %s by somebody without a role is 403', async (method, path, says) => {
  const { api } = await aServer();
  const { status, body } = await askAs(api, aUser('jane'))(method, path);
  expect(status).toBe(403);
  expect(body).toMatchObject({ kind: 'Status', reason: 'Forbidden', code: 403 });
  expect(body.message).toMatch(/ is forbidden: |^forbidden: /);
  expect(body.message.slice(body.message.indexOf('User'))).toBe(`User "jane" ${says}`);
});

test('the details of a refusal name the resource and the object', async () => {
  const { api } = await aServer();
  const { body } = await askAs(api, aUser('jane'))('DELETE', '/apis/apps/v1/namespaces/x/deployments/d');
  expect(body.message).toMatch(/^deployments\.apps "d" is forbidden: User "jane" cannot delete/);
  expect(body.details).toEqual({ group: 'apps', kind: 'deployments', name: 'd' });
});

test('nobody may see health and version, and nothing else', async () => {
  const { api } = await aServer();
  const ask = askAs(api, undefined);
  for (const path of ['/healthz', '/livez', '/readyz', '/livez/ping', '/version'])
    expect((await ask('GET', path)).status).toBe(200);
  for (const path of ['/', '/api', '/apis', '/openapi/v3', '/metrics', pods]) {
    const { status, body } = await ask('GET', path);
    expect(status).toBe(403);
    expect(body.message).toContain('User "system:anonymous" cannot');
  }
});

// headers | how the answer begins: code, message
const credentials: [Record<string, string>, number, string][] = [
  [{ authorization: 'Bearer nonsense' }, 401, 'Unauthorized'],
  [{ authorization: `Bearer ${'a.'.repeat(2)}b` }, 401, 'Unauthorized'],
  [{ authorization: 'bearer' }, 403, 'User "system:anonymous"'],
  [{ authorization: 'Basic amFuZTp4' }, 403, 'User "system:anonymous"'],
];

test.each(credentials)('credentials %o are answered with %d', async (headers, code, says) => {
  const { api } = await aServer();
  const { status, body } = await askAs(api, undefined)('GET', pods, undefined, headers);
  expect(status).toBe(code);
  expect(body.message).toContain(says);
});

test('a selector for one name is permission enough for that name', async () => {
  const { api, ask } = await aServer();
  const role = aRole('one', 'list watch', 'configmaps', '', 'default');
  await ask('POST', rbacPaths.roles, { ...role, rules: [{ ...role.rules[0], resourceNames: ['a'] }] });
  await ask('POST', rbacPaths.roleBindings, aBinding('b', 'Role', 'one', 'jane', 'default'));
  const asJane = askAs(api, aUser('jane'));
  const list = async (query: string) => (await asJane('GET', `/api/v1/namespaces/default/configmaps${query}`)).status;
  expect(await list('?fieldSelector=metadata.name%3Da')).toBe(200);
  expect(await list('?fieldSelector=metadata.name%3Db')).toBe(403);
  expect(await list('?fieldSelector=metadata.name!%3Da')).toBe(403);
  expect(await list('')).toBe(403);
});
