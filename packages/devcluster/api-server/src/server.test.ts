import { aPod, aServer, named } from '@slipway/devcluster/testing/a-server';
import { cpuMsOf } from '@slipway/kube/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';

const inDefault = '/api/v1/namespaces/default';
const merge = { 'content-type': 'application/merge-patch+json' };

test('an object comes back as it was created, with what the system adds', async () => {
  const { ask } = await aServer();
  const sent = named('ConfigMap', 'c', { data: { a: 'b' } });
  const { status, body } = await ask('POST', `${inDefault}/configmaps`, sent);
  expect(status).toBe(201);
  expect(body).toMatchObject({ data: { a: 'b' }, metadata: { name: 'c', namespace: 'default' } });
  expect(body.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
  expect((await ask('GET', `${inDefault}/configmaps/c`)).body).toEqual(body);
});

// what | method | path | body | status | reason | text
const refused: [string, string, string, unknown, number, string, string][] = [
  [
    'a namespace that is not there',
    'POST',
    '/api/v1/namespaces/no/configmaps',
    named('ConfigMap', 'c'),
    404,
    'NotFound',
    'namespaces "no" not found',
  ],
  [
    'a protected namespace',
    'DELETE',
    '/api/v1/namespaces/default',
    undefined,
    403,
    'Forbidden',
    'namespaces "default" is forbidden: this namespace may not be deleted',
  ],
  [
    'a namespaced kind at the cluster path',
    'POST',
    '/api/v1/configmaps',
    named('ConfigMap', 'c'),
    405,
    'MethodNotAllowed',
    'the server does not allow this method on the requested resource',
  ],
  [
    'a verb that the kind does not have',
    'DELETE',
    '/api/v1/namespaces',
    undefined,
    405,
    'MethodNotAllowed',
    'the server does not allow this method on the requested resource',
  ],
  [
    'a kind that is not served',
    'GET',
    '/api/v1/nosuch',
    undefined,
    404,
    'NotFound',
    'the server could not find the requested resource',
  ],
  [
    'a subresource that there is not',
    'GET',
    `${inDefault}/configmaps/c/status`,
    undefined,
    404,
    'NotFound',
    'the server could not find the requested resource',
  ],
  [
    'a proxy to a kind that has none',
    'GET',
    `${inDefault}/configmaps/c/proxy/a`,
    undefined,
    404,
    'NotFound',
    'the server could not find the requested resource',
  ],
  ['an object that is not there', 'GET', `${inDefault}/pods/p`, undefined, 404, 'NotFound', 'pods "p" not found'],
  [
    'another kind in the body',
    'POST',
    `${inDefault}/pods`,
    named('ConfigMap', 'c'),
    400,
    'BadRequest',
    'ConfigMap in version "v1" cannot be handled as a Pod: converting (v1.ConfigMap) to (core.Pod): unknown conversion',
  ],
  [
    'another version in the body',
    'POST',
    `${inDefault}/pods`,
    { ...aPod('p'), apiVersion: 'v2' },
    400,
    'BadRequest',
    'Pod in version "v2" cannot be handled as a Pod: no kind "Pod" is registered for version "v2" in scheme "pkg/runtime/scheme.go:111"',
  ],
  [
    'a name that is none',
    'POST',
    `${inDefault}/configmaps`,
    named('ConfigMap', '..'),
    422,
    'Invalid',
    'ConfigMap ".." is invalid: metadata.name',
  ],
  [
    'a path in a name',
    'GET',
    `${inDefault}/configmaps/%2e%2e`,
    undefined,
    400,
    'BadRequest',
    `Name parameter invalid: "..": may not be '..'`,
  ],
];

test.each(refused)('%s is refused', async (_what, method, path, body, status, reason, text) => {
  const { ask } = await aServer();
  const reply = await ask(method, path, body);
  expect(reply.body).toMatchObject({ kind: 'Status', reason, code: status });
  expect(reply.status).toBe(status);
  expect(reply.body.message).toContain(text);
});

test('nobody may ask for health and version, and nothing else', async () => {
  const { api } = await aServer();
  const asNobody = async (path: string, headers = {}) =>
    (await api.handle({ method: 'GET', path, headers, user: undefined })).status;
  expect(await asNobody('/readyz')).toBe(200);
  expect(await asNobody('/version')).toBe(200);
  expect(await asNobody('/api/v1/pods')).toBe(403);
  expect(await asNobody('/openapi/v3')).toBe(403);
  expect(await asNobody('/api/v1/pods', { authorization: 'Bearer made-up' })).toBe(401);
});

// body | text
const hostile: [string, string, string][] = [
  ['nested 30,000 deep', `${'{"a":'.repeat(30_000)}1${'}'.repeat(30_000)}`, 'exceeded max depth'],
  ['3 MiB of nothing but openings', '{"a":'.repeat(600_000), 'exceeded max depth'],
  [
    'a prototype',
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"__proto__":{"x":"y"}}}',
    'cannot unmarshal object',
  ],
  ['no JSON', '{"a"', 'unexpected end of JSON input'],
  ['a list', '[]', 'cannot unmarshal array'],
  ['nothing', '', 'unexpected end of JSON input'],
];

test.each(hostile)('a body with %s is a bad request, quickly', async (_what, body, text) => {
  const { ask } = await aServer();
  const took = await cpuMsOf(async () => {
    const reply = await ask('POST', `${inDefault}/configmaps`, body);
    expect(reply.body).toMatchObject({ code: 400, reason: 'BadRequest' });
    expect(reply.body.message).toContain(text);
  });
  expect(took).toBeLessThan(2_000);
  expect(({} as { x?: unknown }).x).toBeUndefined();
});

test('a body above 3 MiB is too large', async () => {
  const { ask } = await aServer();
  const reply = await ask('POST', `${inDefault}/configmaps`, 'x'.repeat(3 * 1024 * 1024 + 1));
  expect(reply.body).toMatchObject({ code: 413, message: 'Request entity too large: limit is 3145728' });
});

test('any path and query get an answer, never a failure of the server', async () => {
  const { api } = await aServer();
  const word = fc.constantFrom(
    'api',
    'apis',
    'v1',
    'apps',
    'namespaces',
    'default',
    'pods',
    'p',
    '..',
    '',
    '%',
    '%2F',
    'watch',
    'status',
  );
  const query = fc.constantFrom(
    '',
    '?limit=x',
    '?labelSelector=a in (',
    '?fieldSelector=%',
    '?continue=!',
    '?resourceVersion=-1',
  );
  const method = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE');
  await fc.assert(
    fc.asyncProperty(fc.array(word, { maxLength: 9 }), query, method, async (words, search, verb) => {
      const request = {
        method: verb,
        path: `/${words.join('/')}${search}`,
        headers: {},
        user: { name: 'a', groups: ['system:masters'] },
      };
      const { status } = await api.handle(request);
      expect(status).toBeLessThan(500);
    }),
    { numRuns: 500 },
  );
});

test('nothing is created in a namespace that goes away, and the namespace stays until it is finalized', async () => {
  const { ask } = await aServer();
  await ask('POST', '/api/v1/namespaces', named('Namespace', 'going'));
  const deleted = await ask('DELETE', '/api/v1/namespaces/going');
  expect(deleted.body).toMatchObject({ status: { phase: 'Terminating' }, spec: { finalizers: ['kubernetes'] } });
  const late = await ask('POST', '/api/v1/namespaces/going/configmaps', named('ConfigMap', 'c'));
  expect(late.body).toMatchObject({ code: 403, details: { causes: [{ reason: 'NamespaceTerminating' }] } });
  await ask('PUT', '/api/v1/namespaces/going/finalize', { ...deleted.body, spec: { finalizers: [] } });
  expect((await ask('GET', '/api/v1/namespaces/going')).status).toBe(404);
});

test('a pod is bound once', async () => {
  const { ask } = await aServer();
  await ask('POST', `${inDefault}/pods`, aPod('p'));
  const bind = (node: string) =>
    ask('POST', `${inDefault}/pods/p/binding`, { ...named('Binding', 'p'), target: { kind: 'Node', name: node } });
  expect((await bind('n1')).body).toMatchObject({ kind: 'Status', status: 'Success' });
  const { body } = await ask('GET', `${inDefault}/pods/p`);
  expect(body.spec.nodeName).toBe('n1');
  expect(body.status.conditions).toContainEqual(expect.objectContaining({ type: 'PodScheduled', status: 'True' }));
  const again = await bind('n2');
  expect(again.body.message).toBe(
    'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n1"',
  );
});

test('a running pod is given time to stop, which can only get shorter', async () => {
  const { ask } = await aServer();
  await ask('POST', `${inDefault}/pods`, aPod('p', { nodeName: 'n1' }));
  const grace = async (seconds?: number) => {
    const options = seconds === undefined ? undefined : { gracePeriodSeconds: seconds };
    const { body } = await ask('DELETE', `${inDefault}/pods/p`, options);
    return body.metadata.deletionGracePeriodSeconds;
  };
  expect(await grace()).toBe(30);
  expect(await grace(60)).toBe(30);
  expect(await grace(10)).toBe(10);
  expect(await grace(0)).toBe(0);
  expect((await ask('GET', `${inDefault}/pods/p`)).status).toBe(404);
});

test('a pod that was never scheduled goes at once', async () => {
  const { ask } = await aServer();
  await ask('POST', `${inDefault}/pods`, aPod('p'));
  const { body } = await ask('DELETE', `${inDefault}/pods/p`);
  expect(body).toMatchObject({ kind: 'Pod', metadata: { name: 'p', deletionGracePeriodSeconds: 0 } });
  expect((await ask('GET', `${inDefault}/pods/p`)).status).toBe(404);
});

test('what a delete answers once it is done depends on the kind', async () => {
  const { ask } = await aServer();
  const made = await ask('POST', `${inDefault}/podtemplates`, {
    metadata: { name: 'a' },
    template: { spec: aPod('a').spec },
  });
  await ask('POST', `${inDefault}/configmaps`, { metadata: { name: 'a' } });
  const { body } = await ask('DELETE', `${inDefault}/podtemplates/a`);
  expect(body).toMatchObject({ kind: 'PodTemplate', metadata: { name: 'a', uid: made.body.metadata.uid } });
  expect(Number(body.metadata.resourceVersion)).toBeGreaterThan(Number(made.body.metadata.resourceVersion));
  expect((await ask('DELETE', `${inDefault}/configmaps/a`)).body).toMatchObject({ kind: 'Status', status: 'Success' });
});

test('a delete is refused for the wrong uid or version', async () => {
  const { ask } = await aServer();
  await ask('POST', `${inDefault}/configmaps`, named('ConfigMap', 'c'));
  for (const preconditions of [{ uid: 'other' }, { resourceVersion: '1' }]) {
    const { body } = await ask('DELETE', `${inDefault}/configmaps/c`, { preconditions });
    expect(body).toMatchObject({ code: 409, reason: 'Conflict' });
  }
  expect((await ask('GET', `${inDefault}/configmaps/c`)).status).toBe(200);
});

test('status is written through its subresource only, and does not raise the generation', async () => {
  const { ask } = await aServer();
  const template = { metadata: { labels: { a: 'b' } }, spec: aPod('x').spec };
  const spec = { replicas: 2, selector: { matchLabels: { a: 'b' } }, template };
  const path = '/apis/apps/v1/namespaces/default/deployments/d';
  await ask('POST', path.slice(0, -2), { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' }, spec });
  const main = await ask('PATCH', path, { status: { replicas: 7 }, spec: { replicas: 3 } }, merge);
  expect(main.body).toMatchObject({ metadata: { generation: 2 }, spec: { replicas: 3 } });
  expect(main.body.status.replicas).toBeUndefined();
  const part = await ask('PATCH', `${path}/status`, { status: { replicas: 7 }, spec: { replicas: 9 } }, merge);
  expect(part.body).toMatchObject({ metadata: { generation: 2 }, spec: { replicas: 3 }, status: { replicas: 7 } });
  const scaled = await ask('PATCH', `${path}/scale`, { spec: { replicas: 4 } }, merge);
  expect(scaled.body).toMatchObject({ kind: 'Scale', spec: { replicas: 4 }, status: { replicas: 7, selector: 'a=b' } });
});

test('dry runs go all the way and leave nothing behind', async () => {
  const { ask, store } = await aServer();
  const before = store.revision;
  const { status, body } = await ask('POST', `${inDefault}/configmaps?dryRun=All`, named('ConfigMap', 'c'));
  expect(status).toBe(201);
  expect(body.metadata.resourceVersion).toBeUndefined();
  expect((await ask('GET', `${inDefault}/configmaps/c`)).status).toBe(404);
  expect(store.revision).toBe(before);
});

test('of writers that start from the same state one wins and the others hear of it', async () => {
  const { ask } = await aServer();
  const { body } = await ask('POST', `${inDefault}/configmaps`, named('ConfigMap', 'c'));
  const writes = await Promise.all(
    ['a', 'b', 'c'].map((key) => ask('PUT', `${inDefault}/configmaps/c`, { ...body, data: { [key]: '1' } })),
  );
  expect(writes.map(({ status }) => status)).toEqual([200, 409, 409]);
});

test('patches that change different fields at the same time all count', async () => {
  const { ask } = await aServer();
  await ask('POST', `${inDefault}/configmaps`, named('ConfigMap', 'c'));
  const keys = Array.from({ length: 20 }, (_, index) => `k${index}`);
  await Promise.all(keys.map((key) => ask('PATCH', `${inDefault}/configmaps/c`, { data: { [key]: 'v' } }, merge)));
  const { body } = await ask('GET', `${inDefault}/configmaps/c`);
  expect(Object.keys(body.data).sort()).toEqual(keys.sort());
});

test('a draining server is alive and not ready', async () => {
  const { api, ask } = await aServer();
  expect((await ask('GET', '/readyz?verbose')).body).toMatch(/readyz check passed\n$/);
  api.drain();
  expect((await ask('GET', '/livez')).status).toBe(200);
  const { status, body } = await ask('GET', '/readyz');
  expect(status).toBe(500);
  expect(body).toContain('[-]shutdown failed');
});
