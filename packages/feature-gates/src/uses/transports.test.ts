import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fetchTransport } from './fetch-transport.js';
import { inClusterTransport } from './in-cluster-transport.js';
import { jsonLines } from './json-lines.js';
import type { GateFrame, GateTransport } from './transport.js';

let folder: string;
let server: Server;
let url: string;
let answer: RequestListener;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-transport-'));
  writeFileSync(join(folder, 'token'), 'secret\n');
  server = createServer((request, response) => answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true });
});

const transports: [string, () => Required<GateTransport>][] = [
  ['inClusterTransport()', () => inClusterTransport({ folder, server: url }) as Required<GateTransport>],
  ['fetchTransport()', () => fetchTransport({ fetch, server: url, token: () => 'secret' }) as Required<GateTransport>],
];

async function textOf(request: AsyncIterable<Uint8Array>): Promise<string> {
  let text = '';
  for await (const chunk of request) text += Buffer.from(chunk).toString();
  return text;
}

describe.each(transports)('%s', (_name, make) => {
  test('sends method, path, token, media type and body, and returns status, headers and JSON', async () => {
    const seen: unknown[] = [];
    answer = async (request, response) => {
      const { method, url: path, headers } = request;
      seen.push(method, path, headers.authorization, headers['content-type'], await textOf(request));
      response.writeHead(429, { 'Retry-After': '7' }).end('{"a":["ü"]}');
    };
    const contentType = 'application/merge-patch+json';
    const reply = await make().request({ method: 'PATCH', path: '/a?b=c%20d', contentType, body: { x: 'ü' } });
    expect(seen).toEqual(['PATCH', '/a?b=c%20d', 'Bearer secret', contentType, '{"x":"ü"}']);
    expect(reply).toMatchObject({ status: 429, headers: { 'retry-after': '7' }, body: { a: ['ü'] } });
  });

  test('returns the text of an answer that is not JSON', async () => {
    answer = (_request, response) => response.writeHead(502).end('<html>bad gateway');
    expect(await make().request({ method: 'GET', path: '/' })).toMatchObject({
      status: 502,
      body: '<html>bad gateway',
    });
  });

  test('rejects when no answer, and when it is aborted', async () => {
    answer = (_request, response) => response.destroy();
    await expect(make().request({ method: 'GET', path: '/' })).rejects.toThrow();
    answer = () => {};
    await expect(make().request({ method: 'GET', path: '/', signal: AbortSignal.timeout(20) })).rejects.toThrow();
  });

  test('streams the frames of a watch until the server ends it', async () => {
    answer = (_request, response) => {
      response.write('{"type":"ADDED","object":{"n":1}}\n{"type":"MODI');
      setImmediate(() => response.end('FIED","object":{"n":2}}\n'));
    };
    const frames: GateFrame[] = [];
    const { signal } = new AbortController();
    for await (const frame of make().stream({ method: 'GET', path: '/w?watch=true' }, signal)) frames.push(frame);
    expect(frames).toEqual([
      { type: 'ADDED', object: { n: 1 } },
      { type: 'MODIFIED', object: { n: 2 } },
    ]);
  });

  test('ends a stream when it is aborted, and throws when the connection breaks or the watch is refused', async () => {
    const drain = async (signal: AbortSignal) => {
      for await (const _frame of make().stream({ method: 'GET', path: '/w' }, signal)) stop.abort();
    };
    const stop = new AbortController();
    answer = (_request, response) => void response.write('{"type":"ADDED","object":{}}\n');
    await expect(drain(stop.signal)).rejects.toThrow();
    answer = (_request, response) => {
      response.write('{"type":"ADDED","object":{}}\n');
      setImmediate(() => response.destroy());
    };
    await expect(drain(new AbortController().signal)).rejects.toThrow();
    answer = (_request, response) => response.writeHead(403).end('{"message":"not for you"}');
    await expect(drain(new AbortController().signal)).rejects.toThrow('watching: not for you');
  });
});

test('inClusterTransport() reads the token anew, because it is replaced while the process runs', async () => {
  const seen: unknown[] = [];
  answer = (request, response) => {
    seen.push(request.headers.authorization);
    response.end('{}');
  };
  const transport = inClusterTransport({ folder, server: url });
  await transport.request({ method: 'GET', path: '/' });
  writeFileSync(join(folder, 'token'), 'newer');
  await transport.request({ method: 'GET', path: '/' });
  expect(seen).toEqual(['Bearer secret', 'Bearer newer']);
});

test('inClusterTransport() does not throw outside of a pod, its requests say why they cannot be made', async () => {
  const transport = inClusterTransport({ folder: '/nowhere', server: 'https://10.0.0.1' });
  await expect(transport.request({ method: 'GET', path: '/' })).rejects.toThrow('ca.crt');
});

test('jsonLines() puts frames together however the bytes were cut', async () => {
  const text = '{"type":"ADDED","object":{"name":"ü→"}}\n\n{"type":"DELETED"}';
  const bytes = new TextEncoder().encode(text);
  for (let size = 1; size <= bytes.length; size++) {
    const chunks = async function* () {
      for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size);
    };
    const frames: GateFrame[] = [];
    for await (const frame of jsonLines(chunks())) frames.push(frame);
    expect(frames).toEqual([
      { type: 'ADDED', object: { name: 'ü→' } },
      { type: 'DELETED', object: undefined },
    ]);
  }
});

test.each(['nonsense\n', '{"object":{}}\n', '[]\n', 'null\n', '{"type":"ADDED","obj'])(
  'jsonLines() refuses %j',
  async (text) => {
    const chunks = async function* () {
      yield new TextEncoder().encode(text);
    };
    const drain = async () => {
      for await (const _frame of jsonLines(chunks()));
    };
    await expect(drain()).rejects.toThrow();
  },
);
