import { admin, replyOf } from '@slipway/devcluster/testing/a-server';
import { builtInDefinitions } from '@slipway/kubernetes-kinds/kinds/catalogue';
import { memoryStore } from '@slipway/object-store/memory-store';
import { expect, test } from 'vitest';
import { customDefinitions } from '../crd/custom-definition.js';
import { customResourceDefinitions } from '../crd/definition-kind.js';
import { aDefinition } from '../crd/testing/a-definition.js';
import type { ResourceDefinition } from '../registry/resource-definition.js';
import { createApiServer } from '../server.js';

const settled = aDefinition({ names: { plural: 'alphas', singular: 'alpha', kind: 'Alpha', listKind: 'AlphaList' } });
const alphas = customDefinitions({ ...settled, status: { ...settled.status, acceptedNames: settled.spec.names } });

function serving(definitions: Iterable<ResourceDefinition>) {
  const api = createApiServer({ store: memoryStore(), definitions: [...definitions, ...alphas] });
  const headers = { host: '127.0.0.1:6443' };
  return async (path: string, accept = 'application/json') =>
    replyOf(await api.handle({ method: 'GET', path, headers: { ...headers, accept }, user: admin }));
}

test('the aggregator lists groups of custom resources beside the others', async () => {
  const get = serving(builtInDefinitions());
  const { body } = await get('/apis');
  expect(body.apiVersion).toBe('v1');
  expect(body.groups.map(({ name }: { name: string }) => name)).toEqual(
    expect.arrayContaining(['apps', 'apiregistration.k8s.io', 'lab.example.dev']),
  );
  const { paths } = (await get('/')).body;
  expect(paths).toEqual(expect.arrayContaining(['/api', '/apis/', '/apis/lab.example.dev/v1', '/openid/v1/jwks']));
  expect(await get('/openapi/v3/apis/nosuch/v1')).toMatchObject({ status: 404, body: undefined });
});

test('a server without it answers for custom resources, and lists its own groups and no pages of others', async () => {
  const get = serving([customResourceDefinitions]);
  const { body } = await get('/apis');
  expect(body).toEqual({
    kind: 'APIGroupList',
    groups: [
      {
        name: 'apiextensions.k8s.io',
        versions: [{ groupVersion: 'apiextensions.k8s.io/v1', version: 'v1' }],
        preferredVersion: { groupVersion: 'apiextensions.k8s.io/v1', version: 'v1' },
        serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: ':6443' }],
      },
    ],
  });
  expect((await get('/apis/lab.example.dev/v1')).body.resources[0].name).toBe('alphas');
  const missing = await get('/api');
  expect(missing.status).toBe(404);
  expect(missing.body.paths).not.toEqual(expect.arrayContaining(['/apis/lab.example.dev']));
  expect(missing.body.paths).not.toContain('/openid/v1/jwks');
  expect((await get('/livez/nosuch')).body).toEqual(missing.body);
  expect(await get('/openapi/v3/apis/nosuch/v1')).toMatchObject({ status: 200, body: undefined });
});

// Accept | path | content type
test.each([
  ['application/vnd.kubernetes.protobuf', '/apis/lab.example.dev/v1', 'application/vnd.kubernetes.protobuf'],
  ['application/vnd.kubernetes.protobuf', '/apis', 'application/vnd.kubernetes.protobuf'],
  ['application/vnd.kubernetes.protobuf, application/json', '/apis/apps', 'application/vnd.kubernetes.protobuf'],
  ['application/json, application/vnd.kubernetes.protobuf', '/apis/apps', 'application/json'],
  ['application/vnd.kubernetes.protobuf, application/json', '/api/v1/nodes', 'application/json'],
  ['application/vnd.kubernetes.protobuf, */*', '/api/v1/nodes/none', 'application/vnd.kubernetes.protobuf'],
])('for %s %s is %s', async (accept, path, type) => {
  const { headers, body } = await serving(builtInDefinitions())(path, accept);
  expect(headers['content-type']).toBe(type);
  expect(body instanceof Uint8Array).toBe(type.endsWith('protobuf'));
});
