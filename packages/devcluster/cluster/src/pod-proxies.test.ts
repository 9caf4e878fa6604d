import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { get } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { type KubeObject, silentLog } from '@slipway/kube';
import { pods } from '@slipway/kube-objects/kinds/api/pods';
import { services } from '@slipway/kube-objects/kinds/api/services';
import { parseYaml } from '@slipway/safe-yaml';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { needs } from '../../../../tools/real-parts.js';
import type { Cluster } from './cluster.js';
import { startCluster } from './start-cluster.js';

const namespace = 'default';
const core = '/api/v1';
const inDefault = `${core}/namespaces/${namespace}`;
/** What the handler was asked last. */
let asked: { readonly url: string; readonly headers: Headers; readonly body: string } | undefined;
let local: Server;
let cluster: Cluster;

beforeAll(async () => {
  local = createServer((request, response) => response.end(`local ${request.url}`)).listen(0, '127.0.0.1');
  local.on('upgrade', (request, socket) => {
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: echo\r\nx-path: ${request.url}\r\n\r\n`,
    );
    socket.on('data', (bytes: Buffer) => (String(bytes) === 'bye' ? socket.end() : socket.write(bytes)));
  });
  cluster = await startCluster({
    nodes: 1,
    log: silentLog,
    containerPorts({ pod, container, port }) {
      if (pod.metadata.name !== 'own') return undefined;
      if (port === 9000) return { localPort: (local.address() as AddressInfo).port };
      if (port === 9001) return { localPort: 1 };
      return async (request) => {
        asked = { url: request.url, headers: request.headers, body: await request.text() };
        if (request.url.endsWith('/fails')) throw new Error('it cannot');
        if (request.url.endsWith('/moved'))
          return new Response(null, { status: 302, headers: { location: '/there/?x=1' } });
        const headers = new Headers({ 'x-container': container, connection: 'x-hop', 'x-hop': 'gone' });
        headers.append('set-cookie', 'a=1');
        headers.append('set-cookie', 'b=2');
        return new Response(Buffer.from([0, 255, 10]), { status: 201, headers });
      };
    },
  });
  await cluster.ready();
  const kube = cluster.kube();
  for (const name of ['own', 'usual']) {
    const containers = [{ name: 'main', image: 'web:1', ports: [{ containerPort: 8080, name: 'http' }] }];
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace, labels: { app: name } },
      spec: { containers },
    };
    await kube.resource(pods).create(pod as KubeObject as never);
    const ports = [
      { name: 'http', port: 80, targetPort: 'http' },
      { name: 'other', port: 81, targetPort: 9000 },
    ];
    const spec = { selector: { app: name }, ports: name === 'own' ? ports : [{ port: 80, targetPort: 8080 }] };
    await kube
      .resource(services)
      .create({ apiVersion: 'v1', kind: 'Service', metadata: { name, namespace }, spec } as never);
  }
  for (const name of ['own', 'usual']) {
    await vi.waitFor(async () => {
      expect((await ask('GET', `${inDefault}/services/${name}:80/proxy/`)).status).toBeLessThan(300);
    }, 15_000);
  }
}, 30_000);
afterAll(async () => {
  await cluster?.stop();
  local.close();
});

const ask = (method: 'GET' | 'POST', path: string, body?: unknown, headers: Record<string, string> = {}) =>
  cluster.kube().transport.request({ method, path, headers, ...(body === undefined ? {} : { body }) });

// what is asked for | what the simulation answers
test.each([
  ['pods/usual', 'pod default/usual answers on port 8080: GET /a/b%20c/?d=e&d=f\n'],
  ['pods/usual:8080', 'pod default/usual answers on port 8080: GET /a/b%20c/?d=e&d=f\n'],
  ['pods/https:usual:8080', 'pod default/usual answers on port 8080: GET /a/b%20c/?d=e&d=f\n'],
  ['services/usual', 'pod default/usual answers on port 8080: GET /a/b%20c/?d=e&d=f\n'],
  ['services/http:usual:80', 'pod default/usual answers on port 8080: GET /a/b%20c/?d=e&d=f\n'],
  ['services/own:other', 'local /a/b%20c/?d=e&d=f'],
  ['services/own:81', 'local /a/b%20c/?d=e&d=f'],
  ['pods/own:9000', 'local /a/b%20c/?d=e&d=f'],
])('%s/proxy passes on path and query', async (what, said) => {
  const { status, body } = await ask('GET', `${inDefault}/${what}/proxy/a/b%20c/?d=e&d=f`);
  expect([status, body]).toEqual([200, said]);
});

test('a service is reached by the name or the number of a port, and without one only where the port has no name', async () => {
  const { status, body } = await ask('GET', `${inDefault}/services/own/proxy/`);
  expect([status, (body as { message: string }).message]).toEqual([503, 'no endpoints available for service "own"']);
});

test('a handler gets what was sent, but not who sent it; its answer comes as it is', async () => {
  const sent = {
    'content-type': 'text/x',
    authorization: 'Bearer secret',
    connection: 'x-mine',
    'x-mine': '1',
    'x-yours': '2',
  };
  const { status, headers } = await ask('POST', `${inDefault}/pods/own/proxy/take?it=1`, { some: 'json' }, sent);
  expect([status, headers['x-container'], headers['x-hop'], headers.connection]).toEqual([
    201,
    'main',
    undefined,
    undefined,
  ]);
  expect(asked?.url).toMatch(/\/take\?it=1$/);
  expect(asked?.body).toBe('{"some":"json"}');
  expect(asked?.headers.get('x-yours')).toBe('2');
  expect(asked?.headers.get('x-forwarded-uri')).toBe(`${inDefault}/pods/own/proxy/take`);
  expect(['authorization', 'x-mine', 'connection'].map((name) => asked?.headers.get(name))).toEqual([
    null,
    null,
    'close',
  ]);
});

/** How the administrator of the cluster connects. */
function overTls(path: string, headers: Record<string, string> = {}) {
  const { users } = parseYaml(cluster.kubeconfig) as { users: { user: Record<string, string> }[] };
  const pem = (name: string) => Buffer.from(users[0]?.user[name] ?? '', 'base64');
  const identity = { cert: pem('client-certificate-data'), key: pem('client-key-data'), rejectUnauthorized: false };
  return get(`${cluster.url}${path}`, { ...identity, headers, agent: false });
}

test('over TLS cookies and bytes arrive as they were sent', async () => {
  const [response] = (await once(overTls(`${inDefault}/pods/own/proxy/`), 'response')) as [IncomingMessage];
  expect([response.statusCode, response.headers['set-cookie']]).toEqual([201, ['a=1', 'b=2']]);
  expect([...(await buffer(response))]).toEqual([0, 255, 10]);
});

test('a connection that is upgraded belongs to both ends, until one of them ends it', async () => {
  const wanted = { connection: 'Upgrade', upgrade: 'echo' };
  const sent = overTls(`${inDefault}/services/own:other/proxy/socket`, wanted);
  const [response, socket] = (await once(sent, 'upgrade')) as [IncomingMessage, Socket];
  expect([response.statusCode, response.headers.upgrade, response.headers['x-path']]).toEqual([101, 'echo', '/socket']);
  socket.write('to and fro');
  expect(String((await once(socket, 'data'))[0])).toBe('to and fro');
  const [gone] = await Promise.all([once(socket, 'close'), socket.write('bye')]);
  expect(gone).toEqual([false]);
});

test('what upgrades nothing answers as ever', async () => {
  const sent = overTls(`${inDefault}/pods/usual/proxy/x`, { connection: 'Upgrade', upgrade: 'echo' });
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  expect(String(await buffer(response))).toBe('pod default/usual answers on port 8080: GET /x\n');
});

test('a redirection leads through the proxy', async () => {
  const { status, headers } = await ask('GET', `${inDefault}/services/own:http/proxy/moved`);
  expect([status, headers.location]).toEqual([302, `${inDefault}/services/own:http/proxy/there/?x=1`]);
});

test('a handler that fails answers 500; a local port without a listener refuses', async () => {
  const failed = await ask('GET', `${inDefault}/pods/own/proxy/fails`);
  expect([failed.status, failed.body]).toEqual([500, 'it cannot\n']);
  const { status, body } = await ask('GET', `${inDefault}/pods/own:9001/proxy/`);
  expect(status).toBe(503);
  expect((body as { message: string }).message).toMatch(
    /^error trying to reach service: dial tcp [\d.]+:9001: connect: connection refused \(no process listens on 127\.0\.0\.1:1,/,
  );
});

test('port-forward leads to a handler, and byte by byte to a local port', async (context) => {
  needs(context, 'kubectl');
  const home = mkdtempSync(join(tmpdir(), 'slipway-proxies-'));
  const kubeconfig = join(home, 'config');
  writeFileSync(kubeconfig, cluster.kubeconfig);
  const env = { ...process.env, HOME: home, KUBECONFIG: kubeconfig };
  const child = spawn('kubectl', ['port-forward', 'pod/own', ':8080', ':9000'], { env });
  try {
    let told = '';
    child.stdout.on('data', (chunk) => {
      told += chunk;
    });
    const portTo = (port: number) => new RegExp(`127\\.0\\.0\\.1:(\\d+) -> ${port}`).exec(told)?.[1];
    await vi.waitFor(() => expect(portTo(8080) && portTo(9000), told).toBeTruthy(), 10_000);
    const [handled, led] = await Promise.all([8080, 9000].map((port) => fetch(`http://127.0.0.1:${portTo(port)}/x`)));
    expect([handled?.status, handled?.headers.get('x-container')]).toEqual([201, 'main']);
    expect(await led?.text()).toBe('local /x');
  } finally {
    child.kill();
    rmSync(home, { recursive: true });
  }
});

test('a kubelet answers at the proxy of its node, until it is stopped', async () => {
  const page = async (path: string) => (await ask('GET', `${core}/nodes/n1/proxy${path}`)).body;
  expect(await page('/healthz')).toBe('ok');
  expect((await page('/pods')) as object).toMatchObject({
    kind: 'PodList',
    items: [{ metadata: { name: 'own' } }, { metadata: { name: 'usual' } }],
  });
  expect(await page('/stats/summary')).toMatchObject({
    node: { nodeName: 'n1', memory: { usageBytes: expect.any(Number) } },
    pods: [{ podRef: { name: 'own', namespace }, containers: [{ name: 'main' }] }, { podRef: { name: 'usual' } }],
  });
  expect(await page('/metrics')).toContain('kubernetes_feature_enabled');
  expect(await page('/metrics/resource')).toContain(
    'container_memory_working_set_bytes{container="main",namespace="default",pod="own"}',
  );
  expect(await page('/none')).toBe('404 page not found\n');

  await cluster.nodes[0]?.stop();
  expect(await page('/healthz')).toMatchObject({
    message: 'error trying to reach service: dial tcp 172.18.0.2:10250: connect: connection refused',
  });
  const { body } = await ask('GET', `${inDefault}/pods/own/exec?command=true&stdout=true`);
  expect(body).toMatchObject({
    code: 500,
    message: 'Internal error occurred: error dialing backend: dial tcp 172.18.0.2:10250: connect: connection refused',
  });
  expect((await ask('GET', `${inDefault}/pods/own/log`)).body).toMatchObject({
    message:
      'Get "https://172.18.0.2:10250/containerLogs/default/own/main": dial tcp 172.18.0.2:10250: connect: connection refused',
  });
  await cluster.nodes[0]?.start();
  expect(await page('/healthz')).toBe('ok');
});
