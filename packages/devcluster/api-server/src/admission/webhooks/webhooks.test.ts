import { aServer, named } from '@slipway/devcluster/testing/a-server';
import type { KubeObject } from '@slipway/kube';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Answer, aWebhookServer, type WebhookServer } from './testing/a-webhook-server.js';

const apiVersion = 'admissionregistration.k8s.io/v1';
const configMaps = '/api/v1/namespaces/default/configmaps';

let server: Awaited<ReturnType<typeof aServer>>;
let hook: WebhookServer;
beforeEach(async () => {
  [server, hook] = await Promise.all([aServer(), aWebhookServer()]);
});
afterEach(() => {
  hook.close();
  server.api.drain();
});

type Which = 'Validating' | 'Mutating';

async function register(which: Which, more: object = {}, name = 'a'): Promise<void> {
  const webhook = {
    name: `${name}.example.com`,
    clientConfig: { url: hook.url, caBundle: hook.caBundle },
    rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] }],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    ...more,
  };
  const kind = `${which}WebhookConfiguration`;
  const object = { apiVersion, kind, metadata: { name }, webhooks: [webhook] };
  const { body } = await server.ask('POST', `/apis/${apiVersion}/${kind.toLowerCase()}s`, object);
  expect(body.message).toBeUndefined();
}

const create = (data: Record<string, string> = {}, name = 'a') =>
  server.ask('POST', configMaps, named('ConfigMap', name, { data }));
const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');
const patching =
  (operations: readonly object[]): Answer =>
  () => ({ response: { allowed: true, patchType: 'JSONPatch', patch: base64(operations) } });

test('a validating webhook is told everything about a request', async () => {
  await register('Validating');
  expect((await create({ a: '1' })).status).toBe(201);
  const merge = { 'content-type': 'application/merge-patch+json' };
  await server.ask('PATCH', `${configMaps}/a?fieldManager=me&dryRun=All`, { data: { a: '2' } }, merge);
  await server.ask('DELETE', `${configMaps}/a?propagationPolicy=Orphan`);
  const [created, updated, deleted] = hook.asked;
  expect(created).toMatchObject({
    apiVersion: 'admission.k8s.io/v1',
    path: '/check?timeout=10s',
    kind: { group: '', version: 'v1', kind: 'ConfigMap' },
    resource: { group: '', version: 'v1', resource: 'configmaps' },
    requestKind: { kind: 'ConfigMap' },
    requestResource: { resource: 'configmaps' },
    name: 'a',
    namespace: 'default',
    operation: 'CREATE',
    userInfo: { username: 'admin', groups: ['system:masters', 'system:authenticated'] },
    object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' }, data: { a: '1' } },
    oldObject: null,
    dryRun: false,
    options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
  });
  expect(created.uid).toMatch(/^[-0-9a-f]{36}$/);
  expect(updated).toMatchObject({
    operation: 'UPDATE',
    object: { data: { a: '2' } },
    oldObject: { data: { a: '1' } },
    dryRun: true,
    options: { kind: 'UpdateOptions', fieldManager: 'me', dryRun: ['All'] },
  });
  expect(deleted).toMatchObject({
    operation: 'DELETE',
    object: null,
    oldObject: { data: { a: '1' } },
    options: { kind: 'DeleteOptions', propagationPolicy: 'Orphan' },
  });
});

// what the webhook answers | what the client is told
const refusals: [object, object][] = [
  [
    { allowed: false, status: { message: 'no', code: 403, reason: 'Forbidden' } },
    { code: 403, reason: 'Forbidden', message: 'admission webhook "a.example.com" denied the request: no' },
  ],
  [
    { allowed: false },
    { code: 400, message: 'admission webhook "a.example.com" denied the request without explanation' },
  ],
  [
    { allowed: false, status: { reason: 'Busy', code: 200 } },
    { code: 400, message: 'admission webhook "a.example.com" denied the request: Busy' },
  ],
];
test.each(refusals)('a webhook refuses in its own words: %j', async (response, body) => {
  hook.answer = () => ({ response });
  await register('Validating');
  expect((await create()).body).toMatchObject({ status: 'Failure', ...body });
});

const calling = 'Internal error occurred: failed calling webhook "a.example.com"';

// what comes back | what the client is told
const troubles: [string, Answer, string][] = [
  ['no review', () => ({ body: {} }), `${calling}: received invalid webhook response: webhook response was absent`],
  [
    'another review',
    () => ({
      body: { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid: 'x', allowed: true } },
    }),
    `${calling}: received invalid webhook response: expected response.uid=`,
  ],
  [
    'a patch of a validating webhook',
    patching([{ op: 'remove', path: '/data' }]),
    `${calling}: received invalid webhook response: validating webhook may not return response.patch`,
  ],
  [
    'no JSON',
    () => ({ body: '<html>' }),
    `${calling}: failed to call webhook: couldn't get version/kind; json parse error: `,
  ],
  [
    'an error of the server',
    () => ({ body: 'oh', status: 500 }),
    'an error on the server ("oh") has prevented the request from succeeding',
  ],
  ['nothing there', () => ({ body: '', status: 404 }), 'the server could not find the requested resource'],
];
test.each(troubles)(
  'a webhook that cannot be understood keeps the request from happening: %s',
  async (_, answer, text) => {
    hook.answer = answer;
    await register('Validating');
    const { status, body } = await create();
    expect([status, body.reason]).toEqual([500, 'InternalError']);
    expect(body.message).toContain(text);
    expect(body.details.causes[0].message).toBe(body.message.replace('Internal error occurred: ', ''));
  },
);

test('a webhook that fails open is asked, and no more', async () => {
  hook.answer = () => ({ body: {} });
  await register('Validating', { failurePolicy: 'Ignore' });
  expect((await create()).status).toBe(201);
  expect(hook.asked).toHaveLength(1);
});

test("a webhook that nobody listens for, or whose certificate is a stranger's, cannot be called", async () => {
  await register('Validating', { clientConfig: { url: hook.url } });
  expect((await create()).body.message).toMatch(
    /Post "https:\/\/127\.0\.0\.1:\d+\/check\?timeout=10s": tls: failed to verify certificate: x509: certificate signed by unknown authority$/,
  );
  hook.close();
  await server.ask('DELETE', `/apis/${apiVersion}/validatingwebhookconfigurations/a`);
  await register('Validating');
  expect((await create()).body.message).toMatch(/: dial tcp 127\.0\.0\.1:\d+: connect: connection refused$/);
});

test('a webhook is believed by its own certificate too, and the path of its address is cleaned', async () => {
  const url = hook.url.replace('/check', '//a/../check/');
  await register('Validating', { clientConfig: { url, caBundle: hook.certificate } });
  expect((await create()).status).toBe(201);
  expect(hook.asked[0].path).toBe('/check?timeout=10s');
});

test('a webhook that does not answer is waited for as long as it may take, and holds nobody else up', async () => {
  hook.answer = () => 'silence';
  await register('Validating', { timeoutSeconds: 3 });
  const waiting = create();
  while (hook.asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
  const others = '/api/v1/namespaces/default/secrets';
  expect((await server.ask('POST', others, named('Secret', 'a'))).status).toBe(201);
  await server.clock.advance(2_999);
  expect((await server.ask('GET', `${configMaps}/a`)).status).toBe(404);
  await server.clock.advance(1);
  expect((await waiting).body.message).toMatch(/timeout=3s": context deadline exceeded$/);
});

test('a webhook may warn', async () => {
  hook.answer = () => ({ response: { allowed: true, warnings: ['careful'] } });
  await register('Validating');
  expect((await create()).warnings).toEqual(['careful']);
});

test('a webhook with side effects is not asked about dry runs, and says that it is none', async () => {
  await register('Validating', { sideEffects: 'NoneOnDryRun' });
  expect((await server.ask('POST', `${configMaps}?dryRun=All`, named('ConfigMap', 'a'))).status).toBe(201);
  expect(hook.asked[0].dryRun).toBe(true);
});

test('a mutating webhook changes the object before it is validated', async () => {
  hook.answer = patching([
    { op: 'add', path: '/data', value: { b: '2' } },
    { op: 'add', path: '/metadata/labels', value: { c: 'd' } },
  ]);
  await register('Mutating');
  const { status, body } = await create({ a: '1' });
  expect(status).toBe(201);
  expect(body).toMatchObject({ data: { b: '2' }, metadata: { labels: { c: 'd' } } });
  hook.answer = patching([{ op: 'add', path: '/metadata/labels', value: { 'not valid!': '' } }]);
  expect((await create({}, 'b')).status).toBe(422);
});

test('what a mutating webhook leaves out of a pod is filled in again', async () => {
  hook.answer = patching([{ op: 'add', path: '/spec/containers/-', value: { name: 'side', image: 'b' } }]);
  await register('Mutating', {
    rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
  });
  const pod = named('Pod', 'p', { spec: { containers: [{ name: 'main', image: 'a' }] } });
  const { body } = await server.ask('POST', '/api/v1/namespaces/default/pods', pod);
  expect(body.spec.containers[1]).toMatchObject({ name: 'side', terminationMessagePath: '/dev/termination-log' });
});

test('a mutating webhook sees what others did after it, if it wants to', async () => {
  const counted = (object: KubeObject) => String(Object.keys(object.data).length);
  hook.answer = ({ object }) => patching([{ op: 'add', path: '/data/seen', value: counted(object) }])(object);
  const other = await aWebhookServer();
  other.answer = patching([{ op: 'add', path: '/data/other', value: '' }]);
  await register('Mutating', { reinvocationPolicy: 'IfNeeded' }, 'a');
  await register('Mutating', { clientConfig: { url: other.url, caBundle: other.caBundle } }, 'b');
  expect((await create({ a: '' })).body.data).toEqual({ a: '', other: '', seen: '3' });
  expect([hook.asked.length, other.asked.length]).toEqual([2, 1]);
  other.close();
});

test('a delete cannot be changed', async () => {
  await create();
  hook.answer = patching([{ op: 'remove', path: '/data' }]);
  await register('Mutating');
  expect((await server.ask('DELETE', `${configMaps}/a`)).body.message).toBe(
    'Internal error occurred: admission webhook "a.example.com" attempted to modify the object, which is not supported for this operation',
  );
});

test('an update that was overtaken while a webhook thought is made anew', async () => {
  await create({ n: '0' });
  await register('Validating');
  const merge = { 'content-type': 'application/merge-patch+json' };
  const keys = Array.from({ length: 12 }, (_, index) => `key-${index}`);
  const answers = await Promise.all(
    keys.map((key) => server.ask('PATCH', `${configMaps}/a`, { data: { [key]: '' } }, merge)),
  );
  expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
  expect(Object.keys((await server.ask('GET', `${configMaps}/a`)).body.data).sort()).toEqual([...keys, 'n'].sort());
});

test('a PUT without a version that was overtaken is made anew, and one with a version is a conflict', async () => {
  await create({ n: '0' });
  await register('Validating');
  const put = (data: object, resourceVersion?: string) =>
    server.ask('PUT', `${configMaps}/a`, {
      ...named('ConfigMap', 'a', { data }),
      metadata: { name: 'a', ...(resourceVersion && { resourceVersion }) },
    });
  const answers = await Promise.all([put({ n: '1' }), put({ n: '2' })]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  const { resourceVersion } = (await server.ask('GET', `${configMaps}/a`)).body.metadata;
  const others = await Promise.all([put({ n: '3' }, resourceVersion), put({ n: '4' }, resourceVersion)]);
  expect(others.map(({ status }) => status).sort()).toEqual([200, 409]);
});

test('match conditions and selectors keep webhooks from being asked', async () => {
  await register('Validating', {
    matchConditions: [{ name: 'big', expression: "object != null && object.?data.size.orValue('') == 'big'" }],
    objectSelector: { matchExpressions: [{ key: 'skip', operator: 'DoesNotExist' }] },
  });
  await create({ size: 'small' }, 'a');
  await create({ size: 'big' }, 'b');
  await server.ask('POST', configMaps, {
    ...named('ConfigMap', 'c', { data: { size: 'big' } }),
    metadata: { name: 'c', labels: { skip: '' } },
  });
  expect(hook.asked.map(({ name }) => name)).toEqual(['b']);
});

const service = { namespace: 'default', name: 'hook', path: '/in', port: 443 };

test('a service leads to a webhook where it has endpoints that are real', async () => {
  await register('Validating', { clientConfig: { service, caBundle: hook.caBundle } });
  const why = `${calling}: failed to call webhook: Post "https://hook.default.svc:443/in?timeout=10s": `;
  expect((await create()).body.message).toContain('service "hook" not found');
  const ports = [{ port: 443 }];
  await server.ask('POST', '/api/v1/namespaces/default/services', named('Service', 'hook', { spec: { ports } }));
  expect((await create()).body.message).toBe(`${why}no endpoints available for service "hook"`);
  const endpoints = named('Endpoints', 'hook', {
    subsets: [{ addresses: [{ ip: '127.0.0.1' }], ports: [{ port: hook.port }] }],
  });
  await server.store.put('endpoints', { ...endpoints, metadata: { name: 'hook', namespace: 'default' } }, undefined);
  expect((await create()).status).toBe(201);
  expect(hook.asked[0].path).toBe('/in?timeout=10s');
});

// what is wrong with a webhook | what is said
const refused: [object, string][] = [
  [
    { name: 'short.name' },
    'webhooks[0].name: Invalid value: "short.name": should be a domain with at least three segments separated by dots',
  ],
  [
    { sideEffects: 'Some' },
    'webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"',
  ],
  [
    { timeoutSeconds: 31 },
    'webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds',
  ],
  [{ clientConfig: {} }, 'webhooks[0].clientConfig: Required value: exactly one of url or service is required'],
  [
    { clientConfig: { url: 'http://u@a.example/x?y#z' } },
    `webhooks[0].clientConfig.url: Invalid value: "http": 'https' is the only allowed URL scheme; desired format: https://host[/path]`,
  ],
  [
    { clientConfig: { service: { namespace: 'a', name: 'b', path: 'x//y' } } },
    `webhooks[0].clientConfig.service.path: Invalid value: "x//y": must start with a '/'`,
  ],
  [
    { admissionReviewVersions: ['v3'] },
    'webhooks[0].admissionReviewVersions: Invalid value: ["v3"]: must include at least one of v1, v1beta1',
  ],
  [{ matchConditions: [{ name: 'a', expression: 'params.x' }] }, "undeclared reference to 'params'"],
];
test.each(refused)('a webhook that makes no sense is refused: %j', async (more, why) => {
  const webhook = {
    name: 'a.b.example',
    clientConfig: { url: 'https://a.example' },
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    ...more,
  };
  const object = { apiVersion, kind: 'MutatingWebhookConfiguration', metadata: { name: 'a' }, webhooks: [webhook] };
  const { status, body } = await server.ask('POST', `/apis/${apiVersion}/mutatingwebhookconfigurations`, object);
  expect(status).toBe(422);
  expect(body.message).toContain(why);
});
