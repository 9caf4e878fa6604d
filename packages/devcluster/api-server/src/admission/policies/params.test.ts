import { aServer, named } from '@slipway/devcluster/testing/a-server';
import { beforeEach, expect, test } from 'vitest';
import { aBinding, aPolicy, bindingsPath, policiesPath } from './testing/a-policy.js';

let server: Awaited<ReturnType<typeof aServer>>;
beforeEach(async () => {
  server = await aServer();
  await server.ask('POST', '/api/v1/namespaces', named('Namespace', 'limits'));
});

const inDefault = '/api/v1/namespaces/default/configmaps';
const limit = (name: string, size: number, namespace = 'default', labels = {}) =>
  server.ask('POST', `/api/v1/namespaces/${namespace}/configmaps`, {
    ...named('ConfigMap', name, { data: { max: String(size) } }),
    metadata: { name, labels: { limit: '', ...labels } },
  });

/** Binds a policy about the sizes of secrets, whose parameters are config maps. */
async function enact(paramRef: object, spec: object = {}): Promise<void> {
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['secrets', 'namespaces'] };
  const policy = aPolicy('p', {
    matchConstraints: { resourceRules: [rule] },
    paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
    validations: [
      {
        expression: "params != null && object.?data.orValue({}).size() <= int(params.data['max'])",
        messageExpression: "'at most ' + string(params.data.max) + ' by ' + string(params.metadata.name)",
      },
    ],
    ...spec,
  });
  expect((await server.ask('POST', policiesPath, policy)).body.message).toBeUndefined();
  const binding = aBinding('p', { paramRef: { parameterNotFoundAction: 'Deny', ...paramRef } });
  expect((await server.ask('POST', bindingsPath, binding)).body.message).toBeUndefined();
}

/** What creating a secret with so many values is answered: 201, or why not. */
async function secret(values: number): Promise<unknown> {
  const data = Object.fromEntries(Array.from({ length: values }, (_, index) => [`k${index}`, 'x']));
  const object = named('Secret', `s${values}`, { stringData: data });
  const { status, body } = await server.ask('POST', '/api/v1/namespaces/default/secrets', object);
  return status === 201 ? status : String(body.message).replace(/^.* denied request: /, '');
}

const notFound = 'failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction';

test('a parameter is found by its name, in the namespace of the request, from the moment it is there', async () => {
  await enact({ name: 'limit' });
  expect(await secret(1)).toBe(notFound);
  await limit('limit', 9, 'limits');
  expect(await secret(1)).toBe(notFound);
  await limit('limit', 1);
  expect(await secret(1)).toBe(201);
  expect(await secret(2)).toBe('at most 1 by limit');
  const raised = { ...named('ConfigMap', 'limit', { data: { max: '2' } }) };
  await server.ask('PUT', `${inDefault}/limit`, raised);
  expect(await secret(2)).toBe(201);
});

test('a parameter is found in the namespace that the binding names', async () => {
  await limit('limit', 1, 'limits');
  await enact({ name: 'limit', namespace: 'limits' });
  expect(await secret(2)).toBe('at most 1 by limit');
});

test('a policy is asked with each of the parameters that are selected', async () => {
  await limit('wide', 9, 'default', { kind: 'x' });
  await limit('narrow', 1, 'default', { kind: 'x' });
  await limit('other', 0);
  await enact({ selector: { matchLabels: { kind: 'x' } } });
  expect(await secret(2)).toBe('at most 1 by narrow');
  expect(await secret(1)).toBe(201);
});

test('without parameters a policy is not asked, if that is wanted', async () => {
  await enact({ name: 'limit', parameterNotFoundAction: 'Allow' });
  expect(await secret(1)).toBe(201);
});

test('a policy that fails open lets pass what its binding does not fit', async () => {
  await enact({ name: 'limit' }, { failurePolicy: 'Ignore' });
  expect(await secret(1)).toBe(201);
});

test('a parameter of a kind that is not served cannot be used', async () => {
  await enact({ name: 'a' }, { paramKind: { apiVersion: 'example.com/v1', kind: 'Nope' } });
  expect(await secret(1)).toBe(
    "failed to configure policy: failed to find resource referenced by paramKind: 'example.com/v1, Kind=Nope'",
  );
});

test('requests outside of namespaces have no parameters that lie in one', async () => {
  await enact({ name: 'limit' });
  const { body } = await server.ask('POST', '/apis/scheduling.k8s.io/v1/priorityclasses', {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name: 'a' },
    value: 1,
  });
  expect(body.metadata?.name).toBe('a');
  const rule = { apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['priorityclasses'] };
  const policy = aPolicy('p', {
    matchConstraints: { resourceRules: [rule] },
    paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
    validations: [{ expression: 'true' }],
  });
  const { metadata } = (await server.ask('GET', `${policiesPath}/p`)).body;
  await server.ask('PUT', `${policiesPath}/p`, { ...policy, metadata });
  const refused = await server.ask('DELETE', '/apis/scheduling.k8s.io/v1/priorityclasses/a');
  expect(refused.body.message).toMatch(
    /failed to configure binding: cannot use namespaced paramRef in policy binding that matches cluster-scoped resources$/,
  );
});
