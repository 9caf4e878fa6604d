import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { gzip } from 'node:zlib';
import { type Clock, systemClock } from '@slipway/kube';
import { tooLarge } from '../../registry/status-errors.js';
import { statusAnswer } from '../answers.js';
import type { ApiAnswer, Payload } from '../request.js';
import { type ApiServer, bodyLimit } from '../server.js';
import { clientIdentity } from './client-certificate.js';
import { watchWriter } from './watch-writer.js';

export interface HttpsOptions {
  /** PEM of the serving certificate and its key. */
  readonly certificate: string;
  readonly key: string;
  /** PEM of the authority whose client certificates are believed. */
  readonly clientAuthority: string;
  readonly host?: string;
  /** 0 = any free port. */
  readonly port?: number;
  readonly clock?: Clock;
}

export interface HttpsBinding {
  readonly host: string;
  readonly port: number;
  /** Takes no more requests, lets those under way finish, ends what is still open after `graceMs`. */
  close(graceMs?: number): Promise<void>;
}

const headerLimit = 64 * 1024;
const gzipFrom = 128 * 1024;

/**
 * Serves an API over TLS. Who a client is, its certificate says; a client without
 * one gets answers about health and version only.
 *
 * @throws the error of `listen`, such as EADDRINUSE.
 */
export async function serveHttps(api: ApiServer, options: HttpsOptions): Promise<HttpsBinding> {
  const { clock = systemClock, host = '127.0.0.1', port = 0 } = options;
  const server = createServer(
    {
      cert: options.certificate,
      key: options.key,
      ca: options.clientAuthority,
      requestCert: true,
      rejectUnauthorized: false,
      maxHeaderSize: headerLimit,
      keepAliveTimeout: 120_000,
      // Watches stay open for as long as they are asked to.
      requestTimeout: 0,
    },
    (request, response) => {
      serve(api, clock, request, response).catch((error: unknown) => response.destroy(error as Error));
    },
  );
  // A client that goes away in the middle of a handshake is its own affair.
  server.on('tlsClientError', () => {});
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  return { host, port: address.port, close: (graceMs = 2_000) => close(server, clock, graceMs) };
}

async function serve(api: ApiServer, clock: Clock, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readBody(request);
  if (body === 'too large') {
    // What is still on its way would be read as the next request.
    response.setHeader('connection', 'close');
    await write(request, response, clock, statusAnswer(tooLarge(`limit is ${bodyLimit}`).status));
    return;
  }
  const answer = await api.handle({
    method: request.method ?? 'GET',
    path: request.url ?? '/',
    headers: request.headers as Readonly<Record<string, string>>,
    ...clientIdentity(request.socket as TLSSocket),
    body: body && { bytes: body },
  });
  await write(request, response, clock, answer);
}

/** The body, undefined when there is none. */
async function readBody(request: IncomingMessage): Promise<Uint8Array | undefined | 'too large'> {
  const announced = request.headers['content-length'];
  if (announced === undefined && request.headers['transfer-encoding'] === undefined) return undefined;
  if (Number(announced) > bodyLimit) return 'too large';
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bodyLimit) return 'too large';
    chunks.push(chunk);
  }
  return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
}

async function write(
  request: IncomingMessage,
  response: ServerResponse,
  clock: Clock,
  { status, headers, warnings, payload }: ApiAnswer,
): Promise<void> {
  if (warnings) response.setHeader('warning', warnings.flatMap(warningHeader));
  if (!payload || request.method === 'HEAD') {
    response.writeHead(status, headers).end();
  } else if (payload.kind === 'watch') {
    response.writeHead(status, headers);
    watchWriter(payload, response, clock);
  } else {
    await writeText(request, response, status, headers, textOf(payload));
  }
}

async function writeText(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  text: string | readonly string[],
): Promise<void> {
  if (typeof text === 'string' && text.length < gzipFrom) {
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(text) }).end(text);
    return;
  }
  const whole = Buffer.from(typeof text === 'string' ? text : text.join(''));
  if (whole.length >= gzipFrom && acceptsGzip(request)) {
    const packed = await new Promise<Buffer>((resolve, reject) => {
      gzip(whole, { level: 1 }, (error, result) => (error ? reject(error) : resolve(result)));
    });
    const encoded = { ...headers, 'content-encoding': 'gzip', vary: 'Accept-Encoding', 'content-length': packed.length };
    response.writeHead(status, encoded).end(packed);
    return;
  }
  response.writeHead(status, { ...headers, 'content-length': whole.length }).end(whole);
}

function textOf(payload: Exclude<Payload, { kind: 'watch' }>): string | readonly string[] {
  return payload.kind === 'text' ? payload.text : payload.json.text();
}

function acceptsGzip(request: IncomingMessage): boolean {
  return /(^|[\s,])gzip($|[\s,;])/.test(String(request.headers['accept-encoding'] ?? ''));
}

/** RFC 7234 warning; one that cannot be written in a header is left out. */
function warningHeader(text: string): string[] {
  if (/[\0-\x08\n-\x1f\x7f]/.test(text)) return [];
  const quoted = text.replaceAll('\\', '\\\\').replaceAll('"', '\\"');
  return [`299 - "${Buffer.from(quoted).toString('latin1')}"`];
}

async function close(server: Server, clock: Clock, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = clock.after(graceMs, () => server.closeAllConnections());
  await closed;
  timer.cancel();
}
