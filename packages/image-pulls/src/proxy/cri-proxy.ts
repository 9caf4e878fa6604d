import {
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import { grpcCode } from '../cri/grpc.js';
import { sendable } from '../runtime/raw-headers.js';
import type { RuntimeConnection } from '../runtime/runtime-connection.js';
import { answerStatus } from './answer.js';
import type { OpenPulls } from './open-pulls.js';
import { passThrough } from './pass-through.js';
import { isPullImage, type PullImageDeps, pullImage } from './pull-image.js';

export interface CriProxyOptions extends PullImageDeps {
  readonly runtime: RuntimeConnection;
  /** `cri` lets only CRI and health calls through; `all` also what else the runtime's socket serves. */
  readonly services: 'cri' | 'all';
  /** Whether a call other than PullImage pulls too, and takes a slot. It must have one answer. */
  readonly isPullLike: (path: string) => boolean;
  /** While true, every call passes as it is, pulls too. */
  readonly isBypassed: () => boolean;
  readonly openPulls: OpenPulls;
}

const imagePath = /^\/runtime\.v1(?:alpha2)?\.ImageService\/(?:ImageFsInfo|ImageStatus)$/;
const criPath = /^\/(?:runtime\.v1|runtime\.v1alpha2|grpc\.health\.v1)\./;

/**
 * An HTTP/2 server, to be told to listen, that stands before a container runtime: PullImage
 * waits for a slot, and every other call passes as it is, whether we know it or not.
 */
export function criProxy(options: CriProxyOptions): Http2Server {
  const { runtime, services, more, isPullLike, isBypassed, openPulls } = options;
  const servePull = pullImage(options);
  const none: OutgoingHttpHeaders = {};
  const serve = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, raw: readonly string[]) => {
    const path = headers[':path'] ?? '';
    const sent = sendable(headers, raw);
    stream.on('error', () => {});
    const isPull = isPullImage(path) || isPullLike(path);
    if (isPull) openPulls.add(stream);
    if (isBypassed()) passThrough(stream, sent, runtime, none);
    else if (isPull) servePull(stream, sent);
    else if (services === 'all' || criPath.test(path)) {
      passThrough(stream, sent, runtime, imagePath.test(path) ? more() : none);
    } else {
      answerStatus(stream, grpcCode.unimplemented, `unknown method ${path.slice(0, 200)}`);
      stream.resume();
    }
  };
  const server = createServer({
    settings: { maxConcurrentStreams: 4_096, initialWindowSize: 4 << 20, enableConnectProtocol: false },
    maxSessionMemory: 1_024,
    // Clients may cancel many calls at once; where this Node knows the option, that ends no connection.
    ...{ streamResetBurst: 100_000, streamResetRate: 10_000 },
  });
  server.on('session', (session) => {
    session.on('error', () => {});
    if (!session.destroyed) session.setLocalWindowSize(64 << 20);
  });
  server.on('sessionError', () => {});
  server.on('stream', ((stream, headers, _flags, raw: readonly string[]) => {
    try {
      serve(stream, headers, raw);
    } catch (error) {
      // One call that cannot be sent on must not end the others.
      answerStatus(stream, grpcCode.internal, `the call cannot be passed on: ${(error as Error).message}`);
    }
  }) as Parameters<typeof server.on>[1]);
  return server;
}
