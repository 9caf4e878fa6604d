import { systemRandom } from '@slipway/api-machinery/json/random';
import { admin, replyOf } from '@slipway/devcluster/testing/a-server';
import { ManualClock } from '@slipway/kube/testing';
import { builtInDefinitions } from '@slipway/kubernetes-kinds/kinds/catalogue';
import { memoryStore } from '@slipway/object-store/memory-store';
import { expect, test } from 'vitest';
import { createApiServer } from '../server.js';

function aServer(gates: readonly string[] = ['ComponentFlagz', 'ComponentStatusz'], version = '1.34', drawn = 0) {
  const clock = new ManualClock();
  const api = createApiServer({
    store: memoryStore({ clock }),
    clock,
    definitions: builtInDefinitions(),
    random: { ...systemRandom, fraction: () => drawn },
    version,
    isEnabled: (gate) => gates.includes(gate),
    flags: () => ({ 'feature-gates': 'A=true', 'bind-address': '127.0.0.1' }),
    metrics: () => 'more 1\n',
  });
  const get = async (path: string, accept?: string, method = 'GET') =>
    replyOf(await api.handle({ method, path, headers: accept === undefined ? {} : { accept }, user: admin }));
  return { get, clock };
}

const program = (kind: string, version: string, type = 'application/json') =>
  `${type};g=config.k8s.io;v=${version};as=${kind}`;

test('/flagz shows people the flags by name, and programs the same as an object', async () => {
  const { get } = aServer();
  const page = await get('/flagz');
  expect(page.headers['content-type']).toBe('text/plain; charset=utf-8');
  expect(page.body.split('\n').slice(3)).toEqual(['bind-address 127.0.0.1', 'feature-gates A=true', '']);
  const asked = program('Flagz', 'v1beta1');
  const object = await get('/flagz', asked);
  expect(object.headers['content-type']).toBe(asked);
  expect(object.body).toEqual({
    kind: 'Flagz',
    apiVersion: 'config.k8s.io/v1beta1',
    metadata: { name: 'apiserver' },
    flags: { 'bind-address': '127.0.0.1', 'feature-gates': 'A=true' },
  });
});

test('the first form for programs is answered, with a hint at the better one', async () => {
  const { warnings, body } = await aServer().get('/statusz', program('Statusz', 'v1alpha1'));
  expect(body.apiVersion).toBe('config.k8s.io/v1alpha1');
  expect(warnings).toEqual(['This version of the statusz endpoint is deprecated. Please use a newer version.']);
});

test('/statusz tells since when the server runs', async () => {
  const { get, clock } = aServer();
  await clock.advance(3_723_000);
  const page = await get('/statusz', 'text/plain');
  expect(page.body).toMatch(/\nStarted: Thu Jan {2}1 00:00:00 UTC 2026\nUp: 1 hr 02 min 03 sec\n/);
  expect(page.body).toContain('\nEmulation version: 1.34\nPaths: /flagz /healthz /livez /metrics /readyz /version\n');
  const yaml = await get('/statusz', program('Statusz', 'v1beta1', 'application/yaml'));
  expect(yaml.body).toContain('\nstartTime: "2026-01-01T00:00:00Z"\nuptimeSeconds: 3723\n');
});

// drawn | what stands between
test.each([
  [0, ': '],
  [0.25, ':  '],
  [0.5, '= '],
  [0.999, '  '],
])('/statusz is not for parsing: with %d drawn its names end in %j', async (drawn, separator) => {
  const { body } = await aServer(undefined, undefined, drawn).get('/statusz');
  expect(body).toContain(`\nBinary version${separator}1.34.0\nEmulation version${separator}1.34\n`);
});

test('/metrics/slis says of each health check whether it finds all well', async () => {
  const { body } = await aServer().get('/metrics/slis');
  expect(body.split('\n')).toEqual(
    expect.arrayContaining([
      '# TYPE kubernetes_healthcheck gauge',
      'kubernetes_healthcheck{name="etcd",type="livez"} 1',
      'kubernetes_healthcheck{name="shutdown",type="readyz"} 1',
    ]),
  );
  expect(body).not.toContain('{name="shutdown",type="livez"}');
});

// path | Accept | method | code
const refused: [string, string, string, number][] = [
  ['/flagz', 'application/json', 'GET', 406],
  ['/flagz', program('Statusz', 'v1beta1'), 'GET', 406],
  ['/statusz', program('Statusz', 'v9'), 'GET', 406],
  ['/statusz', 'text/plain', 'POST', 405],
  ['/version', 'application/yaml', 'GET', 406],
  ['/openid/v1/jwks', '*/*', 'PUT', 405],
  ['/metrics', '*/*', 'DELETE', 405],
];

test.each(refused)('%s with Accept %s and %s is %d', async (path, accept, method, code) => {
  expect((await aServer().get(path, accept, method)).status).toBe(code);
});

test('pages behind a gate that is off are not there, and not listed', async () => {
  const { get } = aServer([]);
  for (const path of ['/flagz', '/statusz']) expect((await get(path)).status).toBe(404);
  expect((await get('/')).body.paths).not.toContain('/flagz');
  expect((await aServer().get('/')).body.paths).toContain('/flagz');
});

// path | code of 1.37 and 1.34 | code of 1.36
const endingWithSlash: [string, number, number][] = [
  ['/version/', 200, 404],
  ['/api/', 200, 404],
  ['/apis/', 200, 404],
  ['/openid/v1/jwks/', 200, 404],
  ['/metrics/', 404, 404],
];

test.each(endingWithSlash)(
  '%s, as generated clients ask for it, is %d up to 1.35 and %d from 1.36 on',
  async (path, usual, in136) => {
    expect((await aServer([]).get(path)).status).toBe(usual);
    expect((await aServer([], '1.37').get(path)).status).toBe(usual);
    expect((await aServer([], '1.36').get(path)).status).toBe(in136);
  },
);

test('the OpenID configuration leads to the key that signs tokens', async () => {
  const { get } = aServer();
  const { body } = await get('/.well-known/openid-configuration');
  expect(body).toMatchObject({
    issuer: 'https://kubernetes.default.svc.cluster.local',
    jwks_uri: 'https://kubernetes.default.svc.cluster.local/openid/v1/jwks',
    id_token_signing_alg_values_supported: ['ES256'],
  });
  const keys = await get('/openid/v1/jwks');
  expect(keys.headers['content-type']).toBe('application/jwk-set+json');
  expect(keys.body.keys).toEqual([
    {
      use: 'sig',
      kid: expect.any(String),
      alg: 'ES256',
      kty: 'EC',
      crv: 'P-256',
      x: expect.any(String),
      y: expect.any(String),
    },
  ]);
});

test('/metrics counts and times requests by what is served, and never by what clients make up', async () => {
  const { get, clock } = aServer();
  await get('/api/v1/pods');
  await get('/api/v1/pods?labelSelector=a');
  await get('/api/v1/namespaces/x/pods/p');
  await get('/apis/made.up/v1/things');
  await get(`/api/v1/namespaces/x/pods/p/made-up`);
  await clock.advance(1);
  const { body, headers } = await get('/metrics');
  expect(headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
  const count = (labels: string, value: number) =>
    expect(body).toContain(`apiserver_request_total{${labels}} ${value}\n`);
  const pods = 'group="",resource="pods"';
  count(
    `code="200",component="apiserver",dry_run="",${pods},scope="cluster",subresource="",verb="LIST",version="v1"`,
    2,
  );
  count(
    `code="404",component="apiserver",dry_run="",${pods},scope="resource",subresource="",verb="GET",version="v1"`,
    2,
  );
  count('code="404",component="",dry_run="",group="",resource="",scope="",subresource="",verb="GET",version=""', 1);
  expect(body).not.toMatch(/made/);
  expect(body).toContain('apiserver_current_inflight_requests{request_kind="readOnly"} 1\n');
  expect(body).toMatch(/apiserver_request_duration_seconds_bucket\{.*resource="pods".*le="0\.005"\} 2\n/);
  expect(body).toContain('apiserver_storage_objects{resource="deployments.apps"} 0\n');
  expect(body).toContain('\nmore 1\n');
});
