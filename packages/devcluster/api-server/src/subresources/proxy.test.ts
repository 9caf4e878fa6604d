import { admin, aPod, aServer, named } from '@slipway/devcluster/testing/a-server';
import { expect, test } from 'vitest';

const core = '/api/v1';
const inDefault = `${core}/namespaces/default`;
const merge = { 'content-type': 'application/merge-patch+json' };

async function aServerWithObjects() {
  const server = await aServer();
  const { ask } = server;
  const ports = [{ name: 'http', port: 80, targetPort: 8080 }];
  await ask('POST', `${core}/nodes`, named('Node', 'n1'));
  await ask('POST', `${inDefault}/pods`, aPod('waiting'));
  await ask('POST', `${inDefault}/pods`, aPod('ended', { nodeName: 'n1' }));
  await ask('PATCH', `${inDefault}/pods/ended/status`, { status: { podIP: '10.128.0.2' } }, merge);
  await ask('POST', `${inDefault}/services`, named('Service', 'web', { spec: { ports, selector: { app: 'web' } } }));
  return server;
}

// what | method and path | status | reason | message
const refused: [string, string, number, string, string][] = [
  ['no such pod', `GET ${inDefault}/pods/none/proxy/`, 404, 'NotFound', 'pods "none" not found'],
  ['a pod without an address', `GET ${inDefault}/pods/waiting/proxy/`, 400, 'BadRequest', 'address not allowed'],
  [
    'a pod named in too many parts',
    `GET ${inDefault}/pods/a:b:c:d/proxy/`,
    400,
    'BadRequest',
    'invalid pod request "a:b:c:d"',
  ],
  [
    'a scheme that there is not',
    `GET ${inDefault}/pods/ftp:ended:1/proxy/`,
    400,
    'BadRequest',
    'invalid pod request "ftp:ended:1"',
  ],
  [
    'a pod that does not run',
    `GET ${inDefault}/pods/ended:8080/proxy/`,
    503,
    'ServiceUnavailable',
    'error trying to reach service: dial tcp 10.128.0.2:8080: connect: connection refused',
  ],
  ['no such service', `GET ${inDefault}/services/none/proxy/`, 404, 'NotFound', 'endpoints "none" not found'],
  [
    'no such service, by number',
    `GET ${inDefault}/services/none:80/proxy/`,
    404,
    'NotFound',
    'services "none" not found',
  ],
  [
    'a port that the service has not',
    `GET ${inDefault}/services/web:81/proxy/`,
    503,
    'ServiceUnavailable',
    'no service port 81 found for service "web"',
  ],
  [
    'a service without endpoints',
    `GET ${inDefault}/services/web:http/proxy/`,
    503,
    'ServiceUnavailable',
    'no endpoints available for service "web"',
  ],
  ['no such node', `GET ${core}/nodes/none/proxy/healthz`, 404, 'NotFound', 'nodes "none" not found'],
  [
    'another port of a node',
    `GET ${core}/nodes/n1:22/proxy/`,
    503,
    'ServiceUnavailable',
    'error trying to reach service: dial tcp n1:22: connect: connection refused',
  ],
  [
    'a write to a kubelet',
    `POST ${core}/nodes/n1/proxy/pods`,
    405,
    'MethodNotAllowed',
    'post is not supported on resources of kind "nodes"',
  ],
];
test.each(refused)('a proxy says: %s', async (_, request, status, reason, message) => {
  const { ask } = await aServerWithObjects();
  const [method = '', path = ''] = request.split(' ');
  const answer = await ask(method, path);
  expect([answer.status, answer.body.reason, answer.body.message]).toEqual([status, reason, message]);
});

test('a root without its slash is redirected there, with its query', async () => {
  const { ask } = await aServerWithObjects();
  const { status, headers } = await ask('GET', `${core}/nodes/n1/proxy?a=b`);
  expect([status, headers.location]).toEqual([301, `${core}/nodes/n1/proxy/?a=b`]);
});

test('who may use a proxy is a matter of its subresource and the method', async () => {
  const { api, ask } = await aServerWithObjects();
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  const rules = [{ apiGroups: [''], resources: ['pods/proxy'], resourceNames: ['ended:8080'], verbs: ['create'] }];
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'poster' };
  const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'u' }];
  const of = (kind: string, more: object) => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind,
    metadata: { name: 'poster' },
    ...more,
  });
  await ask('POST', `${rbac}/namespaces/default/roles`, of('Role', { rules }));
  await ask('POST', `${rbac}/namespaces/default/rolebindings`, of('RoleBinding', { roleRef, subjects }));
  const user = { ...admin, name: 'u', groups: ['system:authenticated'] };
  const status = async (method: string, name: string) =>
    (await api.handle({ method, path: `${inDefault}/pods/${name}/proxy/some/where`, headers: {}, user })).status;
  expect([
    await status('POST', 'ended:8080'),
    await status('GET', 'ended:8080'),
    await status('POST', 'ended'),
  ]).toEqual([503, 403, 403]);
});
