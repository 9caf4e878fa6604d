import type { ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { inprocTransport } from '@slipway/api-server/transport/inproc-transport';
import { Kube, silentLog } from '@slipway/kube';
import { ManualClock } from '@slipway/kube/testing';
import { until } from '@slipway/kube-objects/testing/until';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { checkApiServices } from './check-api-services.js';
import { type Certificates, issueCertificates } from './issue-certificates.js';
import { aGroupServer, type GroupRequest } from './testing/a-group-server.js';
import { admin, aServer } from './testing/a-server.js';

let certificates: Certificates;
beforeAll(async () => {
  const nothing = { ca: undefined, serving: undefined, admin: undefined };
  certificates = await issueCertificates({ ...nothing, names: ['adapter.default.svc'], nowMs: Date.now() });
});

const apiService = '/apis/apiregistration.k8s.io/v1/apiservices/v1.metrics.example.com';
const gauges = '/apis/metrics.example.com/v1/namespaces/default/gauges';

type Answer = (request: GroupRequest, response: ServerResponse) => void;

/** A server of a group of its own, an APIService that leads to it, and what finds out whether it answers. */
async function setUp(answer: Answer = (_, response) => response.end('{}'), spec: object = {}, openapi?: string) {
  const other = await aGroupServer(certificates, answer, openapi);
  onTestFinished(() => other.close());
  const { api, ask, clock } = await aServer(undefined, undefined, undefined, undefined, {
    proxyClient: certificates.proxy,
  });
  const kube = new Kube(inprocTransport(api, admin), { clock });
  const checks = checkApiServices({ kube, remotes: api.remotes, log: silentLog });
  void checks.start(new AbortController().signal);
  onTestFinished(() => checks.stop?.());
  const register = () =>
    ask('POST', '/apis/apiregistration.k8s.io/v1/apiservices', {
      metadata: { name: 'v1.metrics.example.com' },
      spec: {
        group: 'metrics.example.com',
        version: 'v1',
        groupPriorityMinimum: 100,
        versionPriority: 100,
        service: { namespace: 'default', name: 'adapter', port: other.port },
        caBundle: Buffer.from(certificates.ca.certificate).toString('base64'),
        ...spec,
      },
    });
  const expose = () =>
    ask('POST', '/api/v1/namespaces/default/services', {
      metadata: { name: 'adapter' },
      spec: { type: 'ExternalName', externalName: 'localhost' },
    });
  const condition = async () => (await ask('GET', apiService)).body.status?.conditions?.[0];
  const available = () => until('it answers', async () => (await condition())?.status === 'True');
  /** The requests beside those of checks. */
  const passedOn = () => other.asked.filter(({ path }) => path.startsWith(gauges));
  return { ask, api, other, register, expose, condition, available, passedOn };
}

test('a request for a version that a service answers for is passed on, with the name of its user', async () => {
  const { api, passedOn, register, expose, available } = await setUp();
  await expose();
  await register();
  await available();
  const extra = { 'example.com/Scope': ['a', 'b'] };
  const user = { name: 'jane', uid: '7', groups: ['readers', 'system:authenticated'], extra };
  const headers = {
    authorization: 'Bearer secret',
    'x-remote-user': 'root',
    'x-remote-extra-scope': 'all',
    accept: '*/*',
  };
  await api.handle({ method: 'POST', path: `${gauges}?dryRun=All`, user: admin, headers, body: { value: { a: 1 } } });
  const authorized = { ...user, groups: [...user.groups, 'system:masters'] };
  await api.handle({ method: 'GET', path: gauges, user: authorized, headers });
  const [posted, got] = passedOn();
  expect(posted).toMatchObject({ method: 'POST', path: `${gauges}?dryRun=All`, body: '{"a":1}' });
  expect(got).toMatchObject({ client: 'front-proxy-client', path: gauges });
  expect(got?.headers).toMatchObject({
    accept: '*/*',
    'x-remote-user': 'jane',
    'x-remote-uid': '7',
    'x-remote-group': 'readers, system:authenticated, system:masters',
    'x-remote-extra-example.com%2fscope': 'a, b',
  });
  expect(got?.headers).not.toHaveProperty('authorization');
  expect(got?.headers).not.toHaveProperty('x-remote-extra-scope');
});

test('an answer of another server comes back as it is', async () => {
  const { ask, api, register, expose, available } = await setUp((_, response) => {
    response.writeHead(418, { 'content-type': 'text/x-tea', 'x-blend': 'green' }).end('tea');
  });
  await expose();
  await register();
  await available();
  const { status, headers, payload } = await api.handle({ method: 'GET', path: gauges, user: admin, headers: {} });
  expect(status).toBe(418);
  expect(headers).toMatchObject({ 'content-type': 'text/x-tea', 'x-blend': 'green' });
  expect(payload?.kind).toBe('stream');
  // What this server has, it answers itself.
  expect((await ask('GET', '/api/v1/namespaces/default')).body.metadata.name).toBe('default');
});

test('a request whose answer does not come ends after a minute, or when it says; a watch goes on', async () => {
  const clock = new ManualClock();
  const { api, passedOn, register, expose, available } = await setUp(({ path }, response) => {
    if (!path.startsWith(gauges)) response.end('{}');
    else if (path.endsWith('begun')) response.write('{');
  });
  await expose();
  await register();
  await available();
  const send = async (query: string) => {
    const path = gauges + query;
    const answer = api.handle({ method: 'GET', path, user: admin, headers: {}, clock });
    await until('it arrives', async () => passedOn().some((asked) => asked.path === path));
    return { answer, orNone: () => Promise.race([answer, new Promise((resolve) => setImmediate(resolve, 'none'))]) };
  };
  const soon = await send('?timeout=5s');
  const late = await send('');
  const begun = (await (await send('?labelSelector=begun')).answer).payload;
  const watch = await send('?watch=true');
  await clock.advance(5_000);
  const { status, payload } = await soon.answer;
  expect([status, payload?.kind === 'json' && payload.json.value()]).toMatchObject([
    504,
    { reason: 'Timeout', message: 'Timeout: request did not complete within the allotted timeout', details: {} },
  ]);
  await clock.advance(54_999);
  expect(await late.orNone()).toBe('none');
  await clock.advance(1);
  expect((await late.answer).status).toBe(504);
  if (begun?.kind !== 'stream') throw new Error(`an answer of the kind ${begun?.kind}`);
  await expect(text(begun.body)).rejects.toThrow();
  await clock.advance(3_600_000);
  expect(await watch.orNone()).toBe('none');
});

test('a caller who may not do something is refused before anything is passed on', async () => {
  const { api, passedOn, register, expose, available } = await setUp();
  await expose();
  await register();
  await available();
  const jane = { name: 'jane', groups: ['system:authenticated'] };
  expect((await api.handle({ method: 'GET', path: gauges, user: jane, headers: {} })).status).toBe(403);
  expect(passedOn()).toEqual([]);
});

test('checkApiServices() says why a server does not answer, and that it does as soon as it does', async () => {
  const { ask, register, expose, condition, available } = await setUp();
  await register();
  await until('it is missed', async () => (await condition()) !== undefined);
  expect(await condition()).toMatchObject({
    status: 'False',
    reason: 'ServiceNotFound',
    message: 'service/adapter in "default" is not present',
  });
  const refused = await ask('GET', gauges);
  expect([refused.status, refused.body]).toEqual([503, 'service unavailable\n']);
  await expose();
  await available();
  expect(await condition()).toMatchObject({ reason: 'Passed', message: 'all checks passed' });
  await ask('DELETE', '/api/v1/namespaces/default/services/adapter');
  expect((await ask('GET', gauges)).body).toBe('service unavailable\n');
  await until('it is missed again', async () => (await condition())?.status === 'False');
});

test('a server that its APIService does not trust is not asked', async () => {
  const { register, expose, condition, other } = await setUp(undefined, { caBundle: undefined });
  await expose();
  await register();
  await until('it is distrusted', async () => (await condition()) !== undefined);
  expect(await condition()).toMatchObject({ status: 'False', reason: 'FailedDiscoveryCheck' });
  expect((await condition()).message).toMatch(
    /^failing or missing response from https:\/\/localhost:\d+\/apis\/metrics/,
  );
  expect(other.asked).toEqual([]);
});

test('discovery lists what other servers have', async () => {
  const { ask, register, expose, available } = await setUp();
  const aggregated = async () => {
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
    const { items } = (await ask('GET', '/apis', undefined, { accept })).body;
    return items.find(({ metadata }: { metadata: { name: string } }) => metadata.name === 'metrics.example.com');
  };
  expect(await aggregated()).toBeUndefined();
  await register();
  const named = { groupVersion: 'metrics.example.com/v1', version: 'v1' };
  const group = { name: 'metrics.example.com', versions: [named], preferredVersion: named };
  expect((await ask('GET', '/apis')).body.groups).toContainEqual(group);
  expect((await ask('GET', '/apis/metrics.example.com')).body).toEqual({
    kind: 'APIGroup',
    apiVersion: 'v1',
    ...group,
  });
  expect((await aggregated()).versions).toEqual([{ version: 'v1', freshness: 'Stale' }]);
  await expose();
  await available();
  const responseKind = { group: '', version: '', kind: 'Gauge' };
  expect((await aggregated()).versions).toEqual([
    {
      version: 'v1',
      freshness: 'Current',
      resources: [
        {
          resource: 'gauges',
          responseKind,
          scope: 'Namespaced',
          singularResource: 'gauge',
          verbs: ['get', 'list'],
          shortNames: ['ga'],
          subresources: [{ subresource: 'status', responseKind, verbs: ['get'] }],
        },
      ],
    },
  ]);
  await ask('DELETE', apiService);
  expect(await aggregated()).toBeUndefined();
  expect((await ask('GET', gauges)).status).toBe(404);
});

test('OpenAPI documents of other servers are listed, and read from there', async () => {
  const { ask, other, register, expose, available } = await setUp();
  await expose();
  await register();
  await available();
  const { paths } = (await ask('GET', '/openapi/v3')).body;
  const serverRelativeURL = '/openapi/v3/apis/metrics.example.com/v1?hash=1';
  expect(paths['apis/metrics.example.com/v1']).toEqual({ serverRelativeURL });
  expect(paths).not.toHaveProperty('apis/other.example.com/v1');
  expect(Object.keys(paths)).toContain('apis/apps/v1');
  await ask('GET', serverRelativeURL);
  expect(other.asked.map(({ path }) => path)).toContain(serverRelativeURL);
});

test('a server without OpenAPI documents is available', async () => {
  const { ask, register, expose, available } = await setUp(undefined, {}, '<html>');
  await expose();
  await register();
  await available();
  expect((await ask('GET', '/openapi/v3')).body.paths).not.toHaveProperty('apis/metrics.example.com/v1');
});
