import { request } from 'node:http';
import { connect } from 'node:net';
import { Feature } from '@slipway/features';
import { failureStatus, Kube } from '@slipway/kube';
import { inMemoryApi } from '@slipway/kube/testing';
import { afterEach, expect, test } from 'vitest';
import { type Console, startConsole } from './console-server.js';

const pages = {
  '/': { type: 'text/html; charset=utf-8', text: '<!doctype html><title>Slipway</title>' },
  '/assets/console-1.js': { type: 'text/javascript; charset=utf-8', text: 'void 0' },
};
const running: Console[] = [];
afterEach(async () => {
  for (const console of running.splice(0)) await console.close();
});

async function started(seed: readonly string[] = []) {
  const api = inMemoryApi();
  for (const gate of seed) {
    const metadata = { name: gate.toLowerCase(), namespace: 'kube-system' };
    api.seed(Feature, { apiVersion: 'features.slipway.dev/v1alpha1', kind: 'Feature', metadata, spec: { gate } });
  }
  const console = await startConsole({ kube: new Kube(api), cluster: 'test', pages, port: 0 });
  running.push(console);
  return console;
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends a request as it is written, paths like `/../` included. */
function ask(url: string, path: string, { method = 'GET', headers = {}, body }: Asked = {}): Promise<Answer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const call = request({ hostname, port, path, method, headers }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += String(chunk);
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    call.on('error', reject);
    call.end(body);
  });
}

const tokenOf = ({ address }: Console) => address.split('#token=')[1] ?? '';

function signIn(console: Console, token = tokenOf(console)): Promise<Answer> {
  const headers = { origin: console.url, 'content-type': 'application/json' };
  return ask(console.url, '/api/sign-in', { method: 'POST', headers, body: JSON.stringify({ token }) });
}

async function session(console: Console): Promise<Record<string, string>> {
  const { headers, text } = await signIn(console);
  const cookie = String(headers['set-cookie']).split(';')[0] ?? '';
  return { cookie, 'x-slipway-proof': (JSON.parse(text) as { proof: string }).proof };
}

test('a signed-in page reads; the token in the address works once', async () => {
  const console = await started();
  const token = tokenOf(console);
  expect(await ask(console.url, '/api/about')).toMatchObject({ status: 401 });
  const signed = await session(console);
  expect(await ask(console.url, '/api/about', { headers: signed })).toMatchObject({ status: 200 });
  expect(await signIn(console, token)).toMatchObject({ status: 401 });
  expect(tokenOf(console)).not.toBe(token);
});

test('the cookie is kept from scripts and other sites, and is worth nothing without the proof', async () => {
  const console = await started();
  const { headers } = await signIn(console);
  expect(String(headers['set-cookie'])).toMatch(
    /^slipway-console-\d+=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/api$/,
  );
  const { cookie = '', 'x-slipway-proof': proof = '' } = await session(console);
  for (const some of [
    { cookie },
    { 'x-slipway-proof': proof },
    { cookie: `${cookie}; ${cookie}`, 'x-slipway-proof': proof },
  ]) {
    expect(await ask(console.url, '/api/about', { headers: some })).toMatchObject({ status: 401 });
  }
});

test('a session of one console is none of another', async () => {
  const [one, other] = [await started(), await started()];
  const { cookie = '', ...proof } = await session(one);
  const renamed = cookie.replace(/^[^=]+/, `slipway-console-${new URL(other.url).port}`);
  expect(await ask(other.url, '/api/about', { headers: { cookie: renamed, ...proof } })).toMatchObject({ status: 401 });
});

test.each([
  ['/', 200],
  ['/features', 200],
  ['/features/kube-system/x?is=on', 200],
  ['/assets/console-1.js', 200],
  ['/assets/../assets/console-1.js', 404],
  ['/assets/../../package.json', 404],
  ['/assets/%2e%2e/%2e%2e/package.json', 404],
  ['/assets/..%2f..%2fpackage.json', 404],
  ['//evil.example/', 404],
  ['/__proto__', 404],
  ['/constructor', 404],
  ['/api/live/__proto__', 401],
  ['/etc/passwd', 404],
])('%s is answered with %i', async (path, status) => {
  const console = await started();
  expect((await ask(console.url, path)).status).toBe(status);
});

test('every answer forbids frames, sniffing, and anything from elsewhere', async () => {
  const console = await started();
  for (const path of ['/', '/assets/console-1.js', '/api/about', '/nothing']) {
    const { headers } = await ask(console.url, path);
    expect(headers).toMatchObject({
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; script-src 'self';.* frame-ancestors 'none'/,
    );
    expect(headers['access-control-allow-origin']).toBeUndefined();
  }
});

test('names from the cluster reach a page without signs that reorder text', async () => {
  const console = await started(['Good\u202eliveFrom<script>']);
  const signed = await session(console);
  const line = await firstLine(console, '/api/live/features', signed);
  expect(JSON.parse(line)).toMatchObject({
    type: 'rows',
    isWhole: true,
    set: [{ gate: 'Good\\u{202e}liveFrom<script>' }],
  });
});

test('headers that are no headers, and bodies that are too large, end the connection', async () => {
  const console = await started();
  const { port } = new URL(console.url);
  const host = `Host: 127.0.0.1:${port}\r\n`;
  expect(await raw(Number(port), `GET / HTTP/1.1\r\n${host}X: a\r\n\tb\nSet-Cookie: c\r\nbad header\r\n\r\n`)).toMatch(
    /^HTTP\/1.1 400/,
  );
  expect(await raw(Number(port), `GET / HTTP/1.1\r\n${host}${host}Connection: close\r\n\r\n`)).toMatch(
    /^HTTP\/1.1 (400|421)/,
  );
  const headers = { ...(await session(console)), origin: console.url, 'content-type': 'application/json' };
  const body = JSON.stringify({ a: 'x'.repeat(100_000) });
  await expect(ask(console.url, '/api/sign-in', { method: 'POST', headers, body })).rejects.toThrow();
  expect(await ask(console.url, '/')).toMatchObject({ status: 200 });
});

function firstLine(console: Console, path: string, headers: Record<string, string>): Promise<string> {
  const { hostname, port } = new URL(console.url);
  return new Promise((resolve, reject) => {
    let text = '';
    const call = request({ hostname, port, path, headers }, (response) => {
      response.on('data', (chunk) => {
        text += String(chunk);
        const end = text.indexOf('\n');
        if (end < 0) return;
        resolve(text.slice(0, end));
        call.destroy();
      });
    });
    call.on('error', reject);
    call.end();
  });
}

function raw(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.on('data', (chunk) => {
      text += String(chunk);
      socket.end();
    });
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
  });
}

/** Whose token is `NAME-token` sees the feature `NAME`, and nothing else is a token. */
async function startedForViewers() {
  const connectAs = async (token: string) => {
    const name = /^(\w+)-token$/.exec(token)?.[1];
    const api = inMemoryApi();
    const metadata = { name: `${name}`, namespace: 'kube-system' };
    const spec = { gate: `Gate-${name}` };
    api.seed(Feature, { apiVersion: 'features.slipway.dev/v1alpha1', kind: 'Feature', metadata, spec });
    const review = { kind: 'SelfSubjectReview', metadata: {}, status: { userInfo: { username: name } } };
    return new Kube({
      request: async (request) => {
        if (!request.path.endsWith('/selfsubjectreviews')) return await api.request(request);
        const refused = failureStatus({ code: 401, reason: 'Unauthorized', message: 'Unauthorized' });
        return name === undefined
          ? { status: 401, headers: {}, body: refused }
          : { status: 201, headers: {}, body: review };
      },
      stream: (request, signal) => api.stream(request, signal),
    } as ConstructorParameters<typeof Kube>[0]);
  };
  const limiters = [{ name: 'of the process', socket: '/nowhere' }];
  const console = await startConsole({ kube: connectAs, cluster: 'test', pages, port: 0, limiters });
  running.push(console);
  return console;
}

async function sessionOf(console: Console, token: string): Promise<Record<string, string>> {
  const { headers, text } = await signIn(console, token);
  const cookie = String(headers['set-cookie']).split(';')[0] ?? '';
  return { cookie, 'x-slipway-proof': (JSON.parse(text) as { proof: string }).proof };
}

test('browsers that sign in with tokens each have the rights of their own token, and none of the process', async () => {
  const console = await startedForViewers();
  expect(console.address).toBe(`${console.url}/`);
  expect(JSON.parse((await ask(console.url, '/api/sign-in')).text)).toEqual({ byToken: true });
  expect(await ask(console.url, '/api/about')).toMatchObject({ status: 401 });
  const ann = await sessionOf(console, 'ann-token');
  const bob = await sessionOf(console, 'bob-token');
  for (const [session, name] of [
    [ann, 'ann'],
    [bob, 'bob'],
  ] as const) {
    const about = JSON.parse((await ask(console.url, '/api/about', { headers: session })).text) as { user: string };
    expect(about.user).toBe(name);
    expect(await firstRows(console, session)).toContain(`Gate-${name}`);
  }
  const mixed = { cookie: ann.cookie ?? '', 'x-slipway-proof': bob['x-slipway-proof'] ?? '' };
  expect(await ask(console.url, '/api/about', { headers: mixed })).toMatchObject({ status: 401 });
  const headers = { ...ann, origin: console.url, 'content-type': 'application/json' };
  const limiter = JSON.stringify({ limiter: 'of the process', limit: '1' });
  const steered = await ask(console.url, '/api/pulls/limit', { method: 'POST', headers, body: limiter });
  expect(steered).toMatchObject({ status: 400 });

  expect(await ask(console.url, '/api/sign-out', { method: 'POST', headers, body: '{}' })).toMatchObject({
    status: 200,
  });
  expect(await ask(console.url, '/api/about', { headers: ann })).toMatchObject({ status: 401 });
  expect(await ask(console.url, '/api/about', { headers: bob })).toMatchObject({ status: 200 });
});

test.each(['', 'unknown', 'ann-token\r\nx-evil: 1', 'ann token', 'ä-token'])(
  'a token that the cluster does not accept is rejected: %j',
  async (token) => {
    const console = await startedForViewers();
    const { status, headers } = await signIn(console, token);
    expect([status, headers['set-cookie']]).toEqual([401, undefined]);
  },
);

/** The first message of the feed of features. */
function firstRows(console: Console, headers: Record<string, string>): Promise<string> {
  const { hostname, port } = new URL(console.url);
  return new Promise((resolve, reject) => {
    const call = request({ hostname, port, path: '/api/live/features', headers }, (response) => {
      response.once('data', (chunk) => {
        resolve(String(chunk));
        call.destroy();
      });
    });
    call.on('error', reject);
    call.end();
  });
}
