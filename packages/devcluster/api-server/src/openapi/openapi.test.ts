import { createHash } from 'node:crypto';
import { admin, aServer, replyOf } from '@slipway/devcluster/testing/a-server';
import { builtInDefinitions } from '@slipway/kubernetes-kinds/kinds/catalogue';
import { memoryStore } from '@slipway/object-store/memory-store';
import { expect, test } from 'vitest';
import { createApiServer } from '../server.js';
import { documentForm } from './openapi.js';

test('every document of the index is whole: what it refers to is in it', async () => {
  const { ask } = await aServer();
  const { paths } = (await ask('GET', '/openapi/v3')).body;
  expect(Object.keys(paths)).toEqual(expect.arrayContaining(['api/v1', 'apis/apps/v1']));
  for (const { serverRelativeURL } of Object.values(paths) as { serverRelativeURL: string }[]) {
    const { status, headers, body } = await ask('GET', serverRelativeURL);
    expect({ status, cache: headers['cache-control'] }).toEqual({ status: 200, cache: 'public, immutable' });
    const references = new Set(JSON.stringify(body).match(/#\/components\/schemas\/[^"]+/g));
    const missing = [...references].filter(
      (name) => !(name.slice('#/components/schemas/'.length) in body.components.schemas),
    );
    expect(missing).toEqual([]);
    const asked = Object.keys(body.components.schemas).filter((name) => /(Review|\.Binding)List$/.test(name));
    expect(asked).toEqual([]);
  }
});

test('the form of the documents of built-in kinds is the one that their hashes are made with', async () => {
  const { ask } = await aServer();
  const { paths } = (await ask('GET', '/openapi/v3')).body;
  const whole = createHash('sha512');
  for (const key of Object.keys(paths)
    .filter((one) => one !== 'version')
    .sort()) {
    whole.update(JSON.stringify((await ask('GET', `/openapi/v3/${key}`)).body));
  }
  expect(documentForm, 'what the documents look like has changed: set documentForm').toBe(
    whole.digest('hex').slice(0, 16),
  );
});

test('the index names each document by the tag that it has, and does not have to make it for that', async () => {
  const { ask } = await aServer();
  const { paths } = (await ask('GET', '/openapi/v3')).body;
  for (const [key, { serverRelativeURL }] of Object.entries<{ serverRelativeURL: string }>(paths)) {
    const hash = serverRelativeURL.split('hash=')[1];
    expect((await ask('GET', `/openapi/v3/${key}`)).headers.etag).toBe(`"${hash}"`);
  }
});

test('a document from which a gate hides a field has another hash', async () => {
  const { on, get } = withGates('OpenAPIV3', 'ImageVolume');
  const addresses = async () => Object.entries<object>((await get('/openapi/v3')).body.paths);
  const before = new Map((await addresses()).map(([key, address]) => [key, JSON.stringify(address)]));
  on.pop();
  const changed = (await addresses()).filter(([key, address]) => JSON.stringify(address) !== before.get(key));
  expect(changed.map(([key]) => key).sort()).toEqual(['api/v1', 'apis/apps/v1', 'apis/batch/v1']);
});

test('writes say that they validate fields, and patches offer no strategic merge', async () => {
  const { ask } = await aServer();
  const { paths } = (await ask('GET', '/openapi/v3/apis/apps/v1')).body;
  const { patch, put } = paths['/apis/apps/v1/namespaces/{namespace}/deployments/{name}'];
  for (const operation of [patch, put]) {
    const names = operation.parameters.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(['dryRun', 'fieldManager', 'fieldValidation']));
    expect(operation['x-kubernetes-group-version-kind']).toEqual({ group: 'apps', version: 'v1', kind: 'Deployment' });
  }
  expect(Object.keys(patch.requestBody.content)).toEqual([
    'application/apply-patch+yaml',
    'application/json-patch+json',
    'application/merge-patch+json',
  ]);
});

test('operations are named and described as clients of generated code know them', async () => {
  const { ask } = await aServer();
  const { paths } = (await ask('GET', '/openapi/v3/apis/apps/v1')).body;
  const many = paths['/apis/apps/v1/namespaces/{namespace}/deployments'];
  const status = paths['/apis/apps/v1/namespaces/{namespace}/deployments/{name}/status'];
  expect([many.delete.operationId, many.delete.description]).toEqual([
    'deleteAppsV1CollectionNamespacedDeployment',
    'delete collection of Deployment',
  ]);
  expect([status.patch.operationId, status.patch.description]).toEqual([
    'patchAppsV1NamespacedDeploymentStatus',
    'partially update status of the specified Deployment',
  ]);
  expect(Object.keys(many.post.responses)).toEqual(['200', '201', '202', '401']);
});

test('a delete is described by what it answers: a Status, or the object of some kinds', async () => {
  const { ask } = await aServer();
  const { paths } = (await ask('GET', '/openapi/v3/api/v1')).body;
  const answered = (plural: string) =>
    paths[`/api/v1/namespaces/{namespace}/${plural}/{name}`].delete.responses[200].content['application/json'].schema
      .$ref;
  expect(['pods', 'configmaps'].map((plural) => answered(plural).split('.').at(-1))).toEqual(['Pod', 'Status']);
});

test('a schema says what Go has where nothing is given in fields that are always there, and from 1.37 on not in elements', async () => {
  const { ask } = await aServer();
  const { schemas } = (await ask('GET', '/openapi/v3/api/v1')).body.components;
  const { name, image, env } = schemas['io.k8s.api.core.v1.Container'].properties;
  expect([name.default, 'default' in image, env.items]).toEqual([
    '',
    false,
    { $ref: '#/components/schemas/io.k8s.api.core.v1.EnvVar' },
  ]);
  expect(schemas['io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'].properties.labels.additionalProperties).toEqual({
    type: 'string',
  });
  expect(schemas['io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference'].required[0]).toBe('apiVersion');
});

test('/openapi/v2 has all groups in one document, in words that its clients know', async () => {
  const { ask } = await aServer();
  const { status, headers, body } = await ask('GET', '/openapi/v2');
  expect([status, headers['content-type'], body.swagger]).toEqual([200, 'application/json', '2.0']);
  const references = new Set(JSON.stringify(body).match(/(?<="\$ref":")[^"]+/g));
  const missing = [...references].filter((name) => !(name.replace('#/definitions/', '') in body.definitions));
  expect(missing).toEqual([]);
  const { post, parameters } = body.paths['/apis/apps/v1/namespaces/{namespace}/deployments'];
  expect(post.parameters[0]).toEqual({
    name: 'body',
    in: 'body',
    required: true,
    schema: { $ref: '#/definitions/io.k8s.api.apps.v1.Deployment' },
  });
  expect(parameters[0]).toMatchObject({ name: 'namespace', in: 'path', required: true, type: 'string' });
  expect(post.responses[401]).toEqual({ description: 'Unauthorized' });
  const { 'io.k8s.api.core.v1.Container': container, 'io.k8s.apimachinery.pkg.api.resource.Quantity': quantity } =
    body.definitions;
  expect(container.properties.securityContext.$ref).toBe('#/definitions/io.k8s.api.core.v1.SecurityContext');
  expect(quantity.type).toBe('string');
  expect(JSON.stringify(body)).not.toMatch(/"(oneOf|allOf|anyOf|nullable)":[[t]/);
  expect(await ask('GET', '/openapi/v2', undefined, { 'if-none-match': headers.etag ?? '' })).toMatchObject({
    status: 304,
  });
});

test('/openapi/v2 is there for clients in Go, under either name of its type, and made once', async () => {
  const { api } = await aServer();
  const ask = (version: string, more: Readonly<Record<string, string>> = {}) => {
    const accept = `application/com.github.proto-openapi.spec.v2${version}+protobuf`;
    return api.handle({ method: 'GET', path: '/openapi/v2', headers: { accept, ...more }, user: admin });
  };
  const first = await ask('@v1.0');
  expect([first.status, first.headers['content-type']]).toEqual([
    200,
    'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
  ]);
  const bytes = first.payload?.kind === 'bytes' ? first.payload.bytes : undefined;
  expect(Buffer.from(bytes ?? []).includes('io.k8s.api.apps.v1.Deployment')).toBe(true);
  expect((await ask('.v1.0')).payload).toEqual({ kind: 'bytes', bytes });
  expect((await ask('@v1.0', { 'if-none-match': first.headers.etag ?? '' })).status).toBe(304);

  const inJson = await api.handle({ method: 'GET', path: '/openapi/v2', headers: {}, user: admin });
  expect(inJson.headers.etag).not.toBe(first.headers.etag);
});

test('an old address leads to the new one when the definitions changed', async () => {
  const { api, ask } = await aServer();
  const address = async () => (await ask('GET', '/openapi/v3')).body.paths['api/v1'].serverRelativeURL;
  const before = await address();
  api.definitions.replace('', 'configmaps', []);
  const after = await address();
  expect(after).not.toBe(before);
  expect(await ask('GET', before)).toMatchObject({ status: 301, headers: { location: after } });
});

/** An API server with only these gates on. */
function withGates(...on: string[]) {
  const isEnabled = (gate: string) => on.includes(gate);
  const api = createApiServer({ store: memoryStore(), definitions: builtInDefinitions(), isEnabled });
  const get = async (path: string) => replyOf(await api.handle({ method: 'GET', path, headers: {}, user: admin }));
  return { on, get };
}

// gate | document | where the field is published
test.each([
  [
    'MaxUnavailableStatefulSet',
    'apis/apps/v1',
    'io.k8s.api.apps.v1.RollingUpdateStatefulSetStrategy',
    'maxUnavailable',
  ],
  ['ImageVolume', 'api/v1', 'io.k8s.api.core.v1.Volume', 'image'],
  ['ImageVolume', 'apis/batch/v1', 'io.k8s.api.core.v1.Volume', 'image'],
])('a field of %s is published in %s only while the gate is on', async (gate, document, schema, field) => {
  const { on, get } = withGates('OpenAPIV3');
  const offered = async () => (await get(`/openapi/v3/${document}`)).body.components.schemas[schema].properties;
  const without = Object.keys(await offered());
  expect(without).not.toContain(field);
  on.push(gate);
  expect(Object.keys(await offered()).sort()).toEqual([...without, field].sort());
  on.pop();
  expect(Object.keys(await offered())).toEqual(without);
});

test('no document of v3 is published while OpenAPIV3 is off', async () => {
  const { on, get } = withGates();
  expect((await get('/openapi/v2')).status).toBe(200);
  expect([(await get('/openapi/v3')).status, (await get('/openapi/v3/api/v1')).status]).toEqual([404, 404]);
  on.push('OpenAPIV3');
  expect((await get('/openapi/v3')).status).toBe(200);
});
