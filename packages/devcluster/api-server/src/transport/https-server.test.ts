import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import { connect } from 'node:tls';
import { Worker } from 'node:worker_threads';
import { gunzipSync } from 'node:zlib';
import { type Certificates, issueCertificates } from '@slipway/devcluster/issue-certificates';
import { aServer, named } from '@slipway/devcluster/testing/a-server';
import type { KubeObject } from '@slipway/kube';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ApiHandler } from '../request/request.js';
import { type HttpsBinding, serveHttps } from './https-server.js';

let certificates: Certificates;
let stranger: Certificates;
const open: HttpsBinding[] = [];

beforeAll(async () => {
  const wanted = { ca: undefined, serving: undefined, admin: undefined, names: ['127.0.0.1'], nowMs: Date.now() };
  [certificates, stranger] = await Promise.all([issueCertificates(wanted), issueCertificates(wanted)]);
});

afterAll(async () => {
  await Promise.all(open.map((binding) => binding.close(0)));
});

async function aBinding(around: (handle: ApiHandler['handle']) => ApiHandler['handle'] = (handle) => handle) {
  const server = await aServer();
  const { ca, serving } = certificates;
  const options = { certificate: serving.certificate, key: serving.key, clientAuthority: ca.certificate };
  const api: ApiHandler = {
    handle: around((request) => server.api.handle(request)),
    isDenied: async (request) => (await server.api.isDenied?.(request)) ?? false,
  };
  const binding = await serveHttps(api, options);
  open.push(binding);
  return { ...server, port: binding.port, binding };
}

interface Asked {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly as?: Certificates | 'nobody';
  /** Called when the answer has begun. */
  readonly begun?: () => void;
}

interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

function ask(port: number, path: string, asked: Asked = {}) {
  const { method = 'GET', headers = {}, body, as = certificates, begun } = asked;
  const identity = as === 'nobody' ? {} : { cert: as.admin.certificate, key: as.admin.key };
  return new Promise<Answered>((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, path, method, headers, ca: certificates.ca.certificate, agent: false, ...identity },
      (response) => {
        begun?.();
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(chunks) }),
        );
        response.on('error', reject);
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

test('the certificate says who asks; without one there is health and version', async () => {
  const { port } = await aBinding();
  expect((await ask(port, '/api/v1/namespaces')).status).toBe(200);
  expect((await ask(port, '/api/v1/namespaces', { as: 'nobody' })).status).toBe(403);
  expect((await ask(port, '/api/v1/namespaces', { as: stranger })).status).toBe(401);
  expect((await ask(port, '/readyz', { as: 'nobody' })).bytes.toString()).toBe('ok');
});

test('long answers are packed for who can unpack them', async () => {
  const { port, ask: inside } = await aBinding();
  await inside(
    'POST',
    '/api/v1/namespaces/default/configmaps',
    named('ConfigMap', 'c', { data: { x: 'y'.repeat(200_000) } }),
  );
  const path = '/api/v1/namespaces/default/configmaps';
  const packed = await ask(port, path, { headers: { 'accept-encoding': 'gzip, deflate' } });
  const plain = await ask(port, path);
  expect(packed.headers['content-encoding']).toBe('gzip');
  expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 10);
  expect(gunzipSync(packed.bytes).equals(plain.bytes)).toBe(true);
});

test('a long list lets others have their turn, whole as it is in the end', async () => {
  const { port, ask: inside } = await aBinding();
  const path = '/api/v1/namespaces/default/configmaps';
  for (let at = 0; at < 40; at += 1) {
    await inside('POST', path, named('ConfigMap', `c${at}`, { data: { x: `ü${'y'.repeat(100_000)}` } }));
  }
  const [list, ...others] = await Promise.all([ask(port, path), ask(port, '/version'), ask(port, '/readyz')]);
  expect(others.map(({ status }) => status)).toEqual([200, 200]);
  const { items } = JSON.parse(list.bytes.toString());
  expect(items).toHaveLength(40);
  expect(items[39].data.x).toBe(`ü${'y'.repeat(100_000)}`);
});

test.each([
  ['application/json', 'items'],
  ['application/json;as=Table;g=meta.k8s.io;v=v1', 'rows'],
  ['application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1', 'items'],
])('a long answer in %s is of one moment, whatever becomes of the objects meanwhile', async (accept, field) => {
  const { port, ask: inside } = await aBinding();
  const path = '/api/v1/namespaces/default/configmaps';
  const metadata = { annotations: { x: `ü${'y'.repeat(100_000)}` } };
  for (let at = 0; at < 40; at += 1) {
    await inside('POST', path, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `c${at}`, ...metadata } });
  }
  let removed: Promise<unknown> | undefined;
  const begun = () => {
    removed = inside('DELETE', path);
  };
  const { bytes } = await ask(port, path, { headers: { accept }, begun });
  await removed;
  const list = JSON.parse(bytes.toString());
  const shown: { metadata: KubeObject['metadata'] }[] = list[field].map(
    (item: { object?: unknown }) => item.object ?? item,
  );
  expect(shown).toHaveLength(40);
  for (const { metadata: of } of shown) {
    expect(Number(of.resourceVersion)).toBeLessThanOrEqual(Number(list.metadata.resourceVersion));
    expect(of.annotations).toEqual(metadata.annotations);
  }
  expect((await inside('GET', path)).body).toMatchObject({ items: [] });
});

test('a client that goes away in the middle of a long list leaves the server as it was', async () => {
  const { port, ask: inside } = await aBinding();
  const path = '/api/v1/namespaces/default/configmaps';
  for (let at = 0; at < 40; at += 1) {
    await inside('POST', path, named('ConfigMap', `c${at}`, { data: { x: 'y'.repeat(200_000) } }));
  }
  const { admin, ca } = certificates;
  const identity = { ca: ca.certificate, cert: admin.certificate, key: admin.key };
  const socket = connect({ host: '127.0.0.1', port, ...identity });
  socket.write(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`);
  await once(socket, 'data');
  socket.destroy();
  expect((await ask(port, '/readyz')).status).toBe(200);
});

test.each([
  ['one byte', 3 * 1024 * 1024 + 1],
  ['much', 12 * 1024 * 1024],
])('a body above 3 MiB by %s is refused, announced or not, and the client gets to read why', async (_, bytes) => {
  const { port } = await aBinding();
  const body = 'x'.repeat(bytes);
  const path = '/api/v1/namespaces/default/configmaps';
  for (const headers of [{ 'content-length': String(body.length) }, { 'transfer-encoding': 'chunked' }]) {
    const answer = await ask(port, path, { method: 'POST', headers, body });
    expect(answer.status).toBe(413);
    expect(JSON.parse(answer.bytes.toString())).toMatchObject({ reason: 'RequestEntityTooLarge' });
  }
});

test('headers above 64 KiB are refused with a Status', async () => {
  const { port } = await aBinding();
  const { status, bytes } = await ask(port, '/version', { headers: { 'x-long': 'x'.repeat(70_000) } });
  expect(status).toBe(431);
  expect(JSON.parse(bytes.toString())).toMatchObject({ kind: 'Status', code: 431 });
});

test('clients that go away in the middle of anything leave the server as it was', async () => {
  const { port } = await aBinding();
  const leave = (path: string, headers: Record<string, string>, body: string) =>
    new Promise<void>((resolve) => {
      const { ca, admin } = certificates;
      const options = { host: '127.0.0.1', port, path, ca: ca.certificate, cert: admin.certificate, key: admin.key };
      const sent = request({ ...options, method: body === '' ? 'GET' : 'POST', headers, agent: false });
      sent.on('error', () => {});
      sent.on('close', resolve);
      sent.on('response', () => sent.destroy());
      if (body === '') sent.end();
      else sent.write(body, () => sent.destroy());
    });
  await Promise.all([
    leave('/api/v1/namespaces/default/configmaps', { 'content-length': '100' }, '{"half":'),
    leave('/api/v1/namespaces/default/configmaps', { 'transfer-encoding': 'chunked' }, '{"half":'),
    leave('/api/v1/pods?watch=true', {}, ''),
  ]);
  expect((await ask(port, '/readyz')).bytes.toString()).toBe('ok');
});

test('what is no HTTP gets an answer', async () => {
  const { port } = await aBinding();
  const { ca, admin } = certificates;
  const socket = connect({ host: '127.0.0.1', port, ca: ca.certificate, cert: admin.certificate, key: admin.key });
  socket.end('nonsense\r\n\r\n');
  let text = '';
  for await (const chunk of socket) text += chunk;
  expect(text).toMatch(/^HTTP\/1.1 400 Bad Request\r\n.*"the request is not HTTP: HPE_\w+"/s);
});

test.each(['identity', 'gzip'])(
  'a long answer (%s) to who asked for another protocol is there in whole',
  async (coding) => {
    const { port, ask: inside } = await aBinding();
    for (const name of ['a', 'b']) {
      const data = { text: randomBytes(450_000).toString('base64') };
      await inside('POST', '/api/v1/namespaces/default/configmaps', { ...named('ConfigMap', name), data });
    }
    const path = '/api/v1/namespaces/default/configmaps';
    const headers = { connection: 'Upgrade', upgrade: 'h2c', 'accept-encoding': coding };
    const { status, bytes } = await ask(port, path, { headers });
    expect(status).toBe(200);
    const text = coding === 'gzip' ? gunzipSync(bytes) : bytes;
    expect(JSON.parse(text.toString()).items).toHaveLength(2);
  },
);

test('who asks again the moment the answer is there is heard, however long the answer was', async () => {
  // The turn in which an answer is written is a long one: the next request is there before this end knows that the
  // answer has left.
  const busy = () => setImmediate(spin, 2);
  const { port, ask: inside } = await aBinding((handle) => async (request) => {
    const answer = await handle(request);
    process.nextTick(busy);
    return answer;
  });
  const data = { text: 'x'.repeat(90_000) };
  await inside('POST', '/api/v1/namespaces/default/configmaps', { ...named('ConfigMap', 'a'), data });
  const { ca, admin } = certificates;
  const identity = { ca: ca.certificate, cert: admin.certificate, key: admin.key };
  const client = new Worker(eagerClient, {
    eval: true,
    workerData: { port, identity, body: JSON.stringify({ data }) },
  });
  const [answers] = await once(client, 'message');
  expect(answers).toEqual(Array.from({ length: 40 }, () => 'HTTP/1.1 200 OK'));
});

function spin(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}

/** Reads and patches by turns, each request in the turn in which the answer before it ends, headers and body apart. */
const eagerClient = `
  const { connect } = require('node:tls');
  const { parentPort, workerData } = require('node:worker_threads');
  const { port, identity, body } = workerData;
  const line = (verb) => verb + ' /api/v1/namespaces/default/configmaps/a HTTP/1.1\\r\\nhost: api\\r\\n';
  const socket = connect({ host: '127.0.0.1', port, ...identity }, next);
  socket.setNoDelay();
  const answers = [];
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
    const length = Number(/content-length: (\\d+)/.exec(text)?.[1]);
    if (text.length < text.indexOf('\\r\\n\\r\\n') + 4 + length) return;
    answers.push(text.slice(0, text.indexOf('\\r')));
    text = '';
    if (answers.length === 40) parentPort.postMessage(answers);
    else next();
  });
  socket.on('close', () => parentPort.postMessage(answers));
  function next() {
    if (answers.length % 2 === 0) return void socket.write(line('GET') + '\\r\\n');
    const type = 'content-type: application/merge-patch+json';
    socket.write(line('PATCH') + type + '\\r\\ncontent-length: ' + body.length + '\\r\\n\\r\\n');
    socket.write(body);
  }
`;

test('warnings travel as headers, in UTF-8', async () => {
  const { port } = await aBinding();
  const body = JSON.stringify({ ...named('ConfigMap', 'c'), 'ünï"c': 1 });
  const { headers } = await ask(port, '/api/v1/namespaces/default/configmaps', { method: 'POST', body });
  expect(Buffer.from(String(headers.warning), 'latin1').toString()).toBe('299 - "unknown field \\"ünï\\"c\\""');
});

test('a watch is streamed line by line and ended when the server drains', async () => {
  const { port, api, ask: inside } = await aBinding();
  await inside('POST', '/api/v1/namespaces/default/configmaps', named('ConfigMap', 'c'));
  const { bytes } = await ask(port, '/api/v1/namespaces/default/configmaps?watch=true', { begun: () => api.drain() });
  const [first] = bytes.toString().split('\n');
  expect(JSON.parse(String(first))).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'c' } } });
});

test('close() takes no new connections and ends those that stay open', async () => {
  const { port, binding } = await aBinding();
  const watching = ask(port, '/api/v1/pods?watch=true').catch(() => undefined);
  await ask(port, '/readyz');
  await binding.close(50);
  await watching;
  await expect(ask(port, '/readyz')).rejects.toThrow('ECONNREFUSED');
});

// What a client sends and then goes silent | what it is answered
const silent: [string, string, RegExp][] = [
  ['nothing', '', /^HTTP\/1\.1 408 /],
  ['half of its headers', 'POST /api/v1/namespaces HTTP/1.1\r\nhost: a\r\n', /^HTTP\/1\.1 408 /],
  ['half of a body', 'POST /api/v1/namespaces HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\n{', /^HTTP\/1\.1 408 /],
  [
    'half of a chunked body',
    'POST /x HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{',
    /^HTTP\/1\.1 408 /,
  ],
];
test.each(silent)('a connection is closed when its client sends %s and goes silent', async (_what, sent, answer) => {
  const { api } = await aServer();
  const { ca, serving } = certificates;
  const limits = { handshakeMs: 10_000, headersMs: 50, requestMs: 100, checkEachMs: 20 };
  // Without rights to deny it, the rest of the body is waited for.
  const handler: ApiHandler = { handle: (asked) => api.handle(asked) };
  const binding = await serveHttps(handler, { ...serving, clientAuthority: ca.certificate, limits });
  open.push(binding);
  const socket = connect({ port: binding.port, host: '127.0.0.1', ca: ca.certificate });
  let received = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    received += text;
  });
  socket.on('error', () => {});
  socket.write(sent);
  await once(socket, 'close');
  expect(received).toMatch(answer);
});

// Who sends a body that never ends | what it is answered, long before the end
const unread: [string, Record<string, string>, number][] = [
  ['nobody', {}, 403],
  ['an unknown token', { authorization: 'Bearer none' }, 401],
];
test.each(unread)('the body of %s is not waited for', async (_who, headers, status) => {
  const { port } = await aBinding();
  const answered = new Promise<number>((resolve) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port,
        path: '/api/v1/namespaces/default/configmaps',
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', 'content-length': String(3_000_000) },
        ca: certificates.ca.certificate,
        agent: false,
      },
      (response) => {
        resolve(response.statusCode ?? 0);
        sent.destroy();
      },
    );
    sent.on('error', () => {});
    sent.write('{');
  });
  expect(await answered).toBe(status);
});
