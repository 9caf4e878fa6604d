import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { connect as connectSocket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';

// Sockets take their time on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

import { defaultPullsSettings } from '../config/pulls-settings.js';
import { type PullDaemon, startPullDaemon } from '../daemon/pull-daemon.js';
import { type CallOptions, type CallResult, type CriClient, criClient } from '../testing/cri-client.js';
import { eventually } from '../testing/eventually.js';
import { type FakeRuntime, fakeRuntime } from '../testing/fake-runtime.js';

let folder: string;
let runtime: FakeRuntime;
let daemon: PullDaemon;
let direct: CriClient;
let proxied: CriClient;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pulls-'));
  runtime = await fakeRuntime(join(folder, 'runtime.sock'));
  const paths = { runtime: join(folder, 'runtime.sock'), listen: join(folder, 'image.sock') };
  daemon = await startPullDaemon({ settings: { ...defaultPullsSettings, ...paths }, limit: 0 });
  direct = criClient(paths.runtime);
  proxied = criClient(paths.listen);
  await eventually('the runtime is up', () => daemon.state().runtimeUp);
});
afterAll(async () => {
  direct.close();
  proxied.close();
  await daemon.close();
  await runtime.kill();
  rmSync(folder, { recursive: true, force: true });
});

/** Everything a client can see of an answer, without what we add on purpose. */
function seen({ messages, headers, code, details, trailers }: CallResult) {
  const metadata = (all: CallResult['headers']) =>
    Object.entries(all.toJSON()).filter(([name]) => !name.startsWith('slipway-') && name !== 'date');
  return {
    messages: messages.map((one) => one.toString('hex')),
    headers: metadata(headers),
    code,
    details,
    trailers: metadata(trailers),
  };
}

const echo = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, raw: string[]) => {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.on('end', () => {
    const values = raw.filter((_, index) => index % 2 === 1 && raw[index - 1] === 'many');
    stream.respond(
      {
        ':status': 200,
        'content-type': 'application/grpc',
        'seen-many': values.join('|'),
        'sent-many': ['three', 'four'],
        'some-bin': headers['some-bin'],
      },
      { waitForTrailers: true },
    );
    stream.once('wantTrailers', () =>
      stream.sendTrailers({
        'grpc-status': '0',
        'grpc-message': '',
        'trailer-bin': Buffer.from([1, 2]).toString('base64'),
      }),
    );
    stream.end(Buffer.concat(chunks));
  });
};

const paths = [
  '/runtime.v1.RuntimeService/Version',
  '/runtime.v1.ImageService/ListImages',
  '/runtime.v1alpha2.ImageService/RemoveImage',
  '/runtime.v1.ImageService/InventedYesterday',
  '/containerd.services.version.v1.Version/Version',
];

test.each(paths)('%s passes as it is', async (path) => {
  runtime.serve(path, echo);
  const message = Buffer.from('any bytes \u0000 at all');
  const metadata = { many: ['one', 'two'], 'user-data': 'x' };
  const call = (client: CriClient) => client.call(path, message, { metadata }).result;
  const answer = await call(proxied);
  expect(seen(answer)).toEqual(seen(await call(direct)));
  expect(answer.headers.get('seen-many')).toEqual(['one|two']);
});

test('repeated headers of an answer stay repeated', async () => {
  const path = '/runtime.v1.RuntimeService/Repeats';
  runtime.serve(path, echo);
  const session = connect('http://localhost', { createConnection: () => connectSocket(join(folder, 'image.sock')) });
  const call = session.request({ ':method': 'POST', ':path': path, 'content-type': 'application/grpc' });
  const raw = await new Promise<string[]>((resolve) => {
    call.on('response', ((_: unknown, __: number, received: string[]) => resolve(received)) as () => void);
    call.end();
  });
  expect(raw.filter((_, index) => raw[index - 1] === 'sent-many')).toEqual(['three', 'four']);
  session.destroy();
});

test.each([0, 1, 16_384, 1 << 20, 16 << 20])('a message of %d bytes passes both ways', async (bytes) => {
  runtime.serve('/runtime.v1.RuntimeService/Echo', echo);
  const message = Buffer.alloc(bytes, 'slipway');
  const { messages, code } = await proxied.call('/runtime.v1.RuntimeService/Echo', message).result;
  expect(code).toBe(0);
  expect(messages[0]?.equals(message)).toBe(true);
});

test('a status without an answer passes with its details', async () => {
  const path = '/runtime.v1.RuntimeService/Refuses';
  runtime.serve(path, (stream) => {
    stream.respond(
      {
        ':status': 200,
        'content-type': 'application/grpc',
        'grpc-status': '5',
        'grpc-message': 'no such pod caf%C3%A9',
        'grpc-status-details-bin': Buffer.from([8, 5]).toString('base64'),
      },
      { endStream: true },
    );
  });
  const call = (client: CriClient) => client.call(path, Buffer.alloc(0)).result;
  const answer = seen(await call(proxied));
  expect(answer).toEqual(seen(await call(direct)));
  expect(answer).toMatchObject({ code: 5, details: 'no such pod café' });
});

test('an unknown method is answered by the runtime', async () => {
  const answer = await proxied.call('/runtime.v1.ImageService/Never', Buffer.alloc(0)).result;
  expect(answer).toMatchObject({ code: 12, details: 'unknown method /runtime.v1.ImageService/Never' });
});

test('a stream passes message by message, stays open, and its cancellation reaches the runtime', async () => {
  const path = '/runtime.v1.RuntimeService/GetContainerEvents';
  let open: ServerHttp2Stream | undefined;
  let isClosed = false;
  runtime.serve(path, (stream) => {
    open = stream;
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.write(Buffer.from([0, 0, 0, 0, 1, 7]));
    stream.on('close', () => {
      isClosed = true;
    });
    stream.resume();
  });
  const call = proxied.call(path, Buffer.alloc(0));
  await eventually('the first event came', () => call.received() === 1);
  open?.write(Buffer.from([0, 0, 0, 0, 1, 8]));
  await eventually('the second event came', () => call.received() === 2);
  call.cancel();
  await eventually('the runtime saw it', () => isClosed);
});

test('a deadline reaches the runtime', async () => {
  const path = '/runtime.v1.RuntimeService/Slow';
  let timeout: string | undefined;
  runtime.serve(path, (stream, headers) => {
    timeout = headers['grpc-timeout'] as string;
    stream.resume();
  });
  const options: CallOptions = { deadlineMs: 100 };
  expect((await proxied.call(path, Buffer.alloc(0), options).result).code).toBe(4);
  expect(timeout).toMatch(/^\d+m$/);
});

test.each([
  ['before it answered', false],
  ['after it began to answer', true],
])('a runtime that breaks a call off %s is UNAVAILABLE', async (_, begins) => {
  const path = '/runtime.v1.RuntimeService/Breaks';
  runtime.serve(path, (stream) => {
    if (begins) {
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
      stream.write(Buffer.from([0, 0, 0, 0, 1, 7]), () => stream.close(2));
    } else stream.close(2);
  });
  expect((await proxied.call(path, Buffer.alloc(0)).result).code).toBe(14);
});

test('services: cri lets nothing else through', async () => {
  const listen = join(folder, 'narrow.sock');
  const settings = { ...defaultPullsSettings, listen, runtime: join(folder, 'runtime.sock'), services: 'cri' } as const;
  const narrow = await startPullDaemon({ settings, limit: 0 });
  const client = criClient(listen);
  runtime.serve('/containerd.services.version.v1.Version/Version', echo);
  expect((await client.call('/containerd.services.version.v1.Version/Version', Buffer.alloc(0)).result).code).toBe(12);
  client.close();
  await narrow.close();
});
