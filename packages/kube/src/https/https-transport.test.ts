import { readFileSync } from 'node:fs';
import http, { type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { Kube } from '../client/client.js';
import { ManualClock } from '../testing/manual-clock.js';
import { aWidget, Widgets } from '../testing/widgets.js';
import { FrameError } from '../transport/frame-error.js';
import { UnreachableError } from '../transport/responses.js';
import { failureStatus } from '../transport/status.js';
import { isLoopback } from './exchange.js';
import { httpsTransport } from './https-transport.js';

const servers: http.Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(
  listener: RequestListener,
): Promise<{ address: string; kube: Kube; clock: ManualClock; server: http.Server }> {
  const server = http.createServer(listener);
  const address = await listening(server, 'http');
  const clock = new ManualClock();
  const transport = httpsTransport({ server: address, credentials: async () => ({}) }, { clock });
  return { address, server, clock, kube: new Kube(transport, { clock }) };
}

async function listening(server: http.Server, protocol: string): Promise<string> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `${protocol}://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function json(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

const status = (code: number, reason: string) => failureStatus({ code, reason });
const ref = { name: 'a', namespace: 'default' };

test('httpsTransport() sends JSON and reads JSON, packed or not', async () => {
  const seen: string[] = [];
  const { kube } = await serve(async (request, response) => {
    const body = await text(request);
    seen.push(`${request.method} ${request.url} ${request.headers['content-type'] ?? '-'} ${body}`);
    const packed = gzipSync(JSON.stringify(aWidget('ä')));
    response
      .writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-encoding': 'gzip' })
      .end(packed);
  });
  expect(await kube.resource(Widgets).merge(ref, { spec: { size: 2 } })).toEqual(aWidget('ä'));
  expect(seen).toEqual([
    'PATCH /apis/test.slipway.dev/v1/namespaces/default/widgets/a application/merge-patch+json {"spec":{"size":2}}',
  ]);
});

test.each([
  ['localhost', true],
  ['127.0.0.1', true],
  ['[::1]', true],
  ['127.example.org', false],
  ['10.0.0.1', false],
  ['localhost.example.org', false],
  ['[2001:db8::1]', false],
])('isLoopback() of %s is %s: what a server answers there is not compressed', (hostname, expected) => {
  expect(isLoopback(hostname)).toBe(expected);
});

test('httpsTransport() shows its client certificate and trusts only the CA it was given', async () => {
  const file = (name: string) => readFileSync(new URL(`testdata/${name}`, import.meta.url));
  const server = https.createServer(
    {
      key: file('server.key'),
      cert: file('server.crt'),
      ca: file('ca.crt'),
      requestCert: true,
      rejectUnauthorized: true,
    },
    (request, response) => {
      const { subject } = (request.socket as TLSSocket).getPeerCertificate();
      json(response, 200, { user: subject.CN, group: subject.O, token: request.headers.authorization });
    },
  );
  const address = await listening(server, 'https');
  const clock = new ManualClock();
  const credentials = {
    ca: file('ca.crt'),
    cert: file('client.crt'),
    key: file('client.key'),
    headers: { authorization: 'Bearer t' },
  };
  const trusted = httpsTransport({ server: address, credentials: async () => credentials }, { clock });
  const { body } = await trusted.request({ method: 'GET', path: '/whoami' });
  expect(body).toEqual({ user: 'client', group: 'testers', token: 'Bearer t' });

  const stranger = httpsTransport({ server: address, credentials: async () => ({}) }, { clock });
  await expect(stranger.request({ method: 'GET', path: '/' })).rejects.toBeInstanceOf(UnreachableError);
});

test('httpsTransport() keeps connections and sends a GET again when the kept one was closed', async () => {
  let answered = 0;
  const ports = new Set<number | undefined>();
  const { kube, server } = await serve((request, response) => {
    ports.add(request.socket.remotePort);
    answered++;
    json(response, 200, aWidget('a'));
  });
  const widgets = kube.resource(Widgets);
  await widgets.get(ref);
  await widgets.get(ref);
  expect(ports.size).toBe(1);
  server.closeAllConnections();
  await widgets.get(ref);
  expect(answered).toBe(3);
});

// verb | status | retry-after | is it sent again
const refusals: ['get' | 'replace' | 'delete' | 'create' | 'merge', number, string | undefined, boolean][] = [
  ['get', 429, '2', true],
  ['get', 503, '2', true],
  ['replace', 429, '2', true],
  ['delete', 500, '2', true],
  ['create', 429, '2', false],
  ['merge', 429, '2', false],
  ['get', 429, undefined, false],
  ['get', 404, '2', false],
];

test.each(refusals)(
  'httpsTransport(): %s answered with %i and Retry-After %s',
  async (verb, code, after, isSentAgain) => {
    let asked = 0;
    const { kube, clock } = await serve((_request, response) => {
      asked++;
      if (asked > 1) json(response, 200, aWidget('a'));
      else json(response, code, status(code, 'Any'), after ? { 'retry-after': after } : {});
    });
    const widgets = kube.resource(Widgets);
    const calls = {
      get: () => widgets.get(ref),
      replace: () => widgets.replace(aWidget('a')),
      delete: () => widgets.delete(ref),
      create: () => widgets.create(aWidget('a')),
      merge: () => widgets.merge(ref, {}),
    };
    const call = calls[verb]().then(
      () => 'done',
      (error) => error.code,
    );
    if (isSentAgain) {
      await until(() => clock.nextTimerMs() === 2000);
      await clock.advance(2000);
    }
    expect(await call).toBe(isSentAgain ? 'done' : code);
  },
);

test('httpsTransport() says which server cannot be reached, and why', async () => {
  const { kube, server, address } = await serve(() => {});
  server.close();
  await expect(kube.resource(Widgets).get(ref)).rejects.toMatchObject({
    name: 'UnreachableError',
    message: `cannot reach ${address}: connect ECONNREFUSED ${address.slice(7)}`,
  });
});

test('httpsTransport().request rejects with the reason of its signal', async () => {
  const { kube } = await serve(() => {});
  const stop = new AbortController();
  const call = kube.resource(Widgets).get(ref, stop.signal);
  stop.abort(new Error('enough'));
  await expect(call).rejects.toThrow('enough');
});

const added = (name: string) => JSON.stringify({ type: 'ADDED', object: aWidget(name) });

async function watched(listener: (response: ServerResponse) => void): Promise<{ names: string[]; error: unknown }> {
  const { kube } = await serve((_request, response) => listener(response));
  const names: string[] = [];
  try {
    for await (const { object } of kube.resource(Widgets).watch({}, new AbortController().signal)) {
      names.push(object.metadata.name ?? '');
    }
    return { names, error: undefined };
  } catch (error) {
    return { names, error };
  }
}

test('httpsTransport().stream ends when the server ends it', async () => {
  const { names, error } = await watched((response) => {
    response.write(`${added('a')}\n${added('b').slice(0, 10)}`);
    response.end(`${added('b').slice(10)}\n`);
  });
  expect({ names, error }).toEqual({ names: ['a', 'b'], error: undefined });
});

test('httpsTransport().stream throws UnreachableError when the connection breaks or ends within a frame', async () => {
  const broken = await watched((response) => {
    response.write(`${added('a')}\n`, () => response.destroy());
  });
  expect(broken.names).toEqual(['a']);
  expect(broken.error).toBeInstanceOf(UnreachableError);
  const torn = await watched((response) => response.end(`${added('a')}\n{"type"`));
  expect(torn.names).toEqual(['a']);
  expect(torn.error).toBeInstanceOf(UnreachableError);
});

test('httpsTransport().stream throws what the server refuses, and FrameError for what is not a frame', async () => {
  const refused = await watched((response) => json(response, 410, status(410, 'Expired')));
  expect(refused.error).toMatchObject({ name: 'StatusError', code: 410 });
  const garbled = await watched((response) => response.end('hello\n'));
  expect(garbled.error).toBeInstanceOf(FrameError);
});

test('httpsTransport().stream ends quietly when aborted and lets go of its connection', async () => {
  let closed = () => {};
  const isClosed = new Promise<void>((resolve) => {
    closed = resolve;
  });
  const { kube } = await serve((request, response) => {
    request.on('close', closed);
    response.write(`${added('a')}\n`);
  });
  const stop = new AbortController();
  for await (const { object } of kube.resource(Widgets).watch({}, stop.signal)) {
    expect(object.metadata.name).toBe('a');
    stop.abort();
  }
  await isClosed;
});

async function text(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += chunk;
  return body;
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}

test('httpsTransport() reports credentials that the server rejected, so that the next request has new ones', async () => {
  const { address } = await serve((request, response) => {
    const isGood = request.headers.authorization === 'Bearer 2';
    json(response, isGood ? 200 : 401, isGood ? aWidget('a') : status(401, 'Unauthorized'));
  });
  let token = 1;
  const access = {
    server: address,
    credentials: async () => ({ headers: { authorization: `Bearer ${token}` } }),
    rejected: () => {
      token += 1;
    },
  };
  const clock = new ManualClock();
  const widgets = new Kube(httpsTransport(access, { clock }), { clock }).resource(Widgets);
  await expect(widgets.get(ref)).rejects.toMatchObject({ code: 401 });
  expect(await widgets.get(ref)).toEqual(aWidget('a'));
});

test('httpsTransport() stops waiting for credentials when its signal aborts', async () => {
  const access = { server: 'http://127.0.0.1:9', credentials: () => new Promise<never>(() => {}) };
  const abort = new AbortController();
  const asked = httpsTransport(access, { clock: new ManualClock() }).request({
    method: 'GET',
    path: '/',
    signal: abort.signal,
  });
  abort.abort(new Error('enough'));
  await expect(asked).rejects.toThrow('enough');
});
