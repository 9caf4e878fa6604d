import { createServer, type IncomingHttpHeaders, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import { framed, unframed } from '../cri/grpc.js';
import { readPullImageRequest } from '../cri/pull-image-request.js';
import { bytesField } from '../cri/wire.js';

/** A PullImage call that a fake runtime has and has not answered yet. */
export interface HeldPull {
  readonly image: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Whether its caller has cancelled it. */
  readonly cancelled: boolean;
  readonly answered: boolean;
  succeed(): void;
  fail(code: number, message: string): void;
}

/** A small working runtime on a unix socket: images that are there, pulls that end when told, and any handler for any path. */
export interface FakeRuntime {
  readonly pulls: HeldPull[];
  readonly present: Set<string>;
  /** Serves a path; without one a call is UNIMPLEMENTED. */
  serve(path: string, handler: (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, raw: string[]) => void): void;
  /** Breaks all connections and stops listening, as a killed runtime does. */
  kill(): Promise<void>;
  listen(): Promise<void>;
}

const service = '/runtime.v1.ImageService/';

export async function fakeRuntime(path: string): Promise<FakeRuntime> {
  const pulls: HeldPull[] = [];
  const present = new Set<string>();
  const handlers = new Map<string, (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, raw: string[]) => void>();
  const sessions = new Set<ServerHttp2Session>();
  let server = createServer();

  handlers.set(`${service}ImageFsInfo`, (stream) => void bodyOf(stream).then(() => succeed(stream, Buffer.alloc(0))));
  handlers.set(`${service}ImageStatus`, async (stream) => {
    const message = unframed(await bodyOf(stream)) ?? new Uint8Array();
    const { image } = readPullImageRequest(message);
    succeed(stream, present.has(image) ? bytesField(1, bytesField(1, `sha256:${image}`)) : Buffer.alloc(0));
  });
  handlers.set(`${service}PullImage`, async (stream, headers) => {
    let cancelled = false;
    stream.on('close', () => {
      cancelled = !stream.headersSent;
    });
    const body = await bodyOf(stream);
    const { image } = readPullImageRequest(unframed(body) ?? new Uint8Array());
    pulls.push({
      image,
      headers,
      body,
      get cancelled() {
        return cancelled;
      },
      get answered() {
        return stream.headersSent;
      },
      succeed() {
        present.add(image);
        succeed(stream, bytesField(1, `sha256:${image}`));
      },
      fail: (code, message) => trailersOnly(stream, code, message),
    });
  });

  const listen = () =>
    new Promise<void>((resolve) => {
      server = createServer({ settings: { maxConcurrentStreams: 100_000 } });
      server.on('session', (session) => {
        sessions.add(session);
        session.on('error', () => {});
        session.once('close', () => sessions.delete(session));
      });
      server.on('stream', ((stream: ServerHttp2Stream, headers, _flags, raw: string[]) => {
        stream.on('error', () => {});
        const handler = handlers.get(headers[':path'] ?? '');
        if (handler) handler(stream, headers, raw);
        else trailersOnly(stream, 12, `unknown method ${headers[':path']}`);
      }) as Parameters<typeof server.on>[1]);
      server.listen(path, resolve);
    });
  await listen();
  return {
    pulls,
    present,
    serve: (name, handler) => void handlers.set(name, handler),
    listen,
    kill: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const session of sessions) session.destroy();
      }),
  };
}

function succeed(stream: ServerHttp2Stream, message: Uint8Array): void {
  if (stream.destroyed || stream.headersSent) return;
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0', 'grpc-message': '' }));
  stream.end(framed(message));
}

function trailersOnly(stream: ServerHttp2Stream, code: number, message: string): void {
  if (stream.destroyed || stream.headersSent) return;
  const status = { 'grpc-status': String(code), 'grpc-message': message };
  stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...status }, { endStream: true });
}

function bodyOf(stream: ServerHttp2Stream): Promise<Buffer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => resolve(Buffer.concat(chunks)));
  });
}
