import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { TLSSocket } from 'node:tls';
import { statusError } from '@slipway/api-machinery/errors/status-errors';
import { endOfTurn } from '@slipway/api-machinery/event-loop/end-of-turn';
import { yieldToEventLoop } from '@slipway/api-machinery/event-loop/yield-to-event-loop';
import { type Clock, copyWith, systemClock } from '@slipway/kube';
import { type Piece, sizeOfPiece, textOfPiece } from '../request/pieces.js';
import type { ApiAnswer, ApiHandler, ApiRequest, Payload } from '../request/request.js';
import { statusAnswer } from '../response/answers.js';
import { clientIdentity } from './client-certificate.js';
import { sliceMs, writeLong } from './long-answer.js';
import { bodyRejections, discardRest, RequestBodies, smallBody } from './request-bodies.js';
import { warningHeaders } from './warning-header.js';
import { watchWriter } from './watch-writer.js';
import { endWith } from './whole-answer.js';

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
  /** How long a client may take, in the time of this machine. Default: `clientLimits`. */
  readonly limits?: typeof clientLimits;
  /** Maximum of bytes that the bodies of all requests hold together. Default: 256 MiB. */
  readonly maxBodyBytes?: number;
}

/** How long a client may take for a TLS handshake, the headers of a request, and all of a request, in milliseconds. */
const clientLimits = { handshakeMs: 10_000, headersMs: 10_000, requestMs: 60_000, checkEachMs: 2_000 };

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
export async function serveHttps(api: ApiHandler, options: HttpsOptions): Promise<HttpsBinding> {
  const { clock = systemClock, host = '127.0.0.1', port = 0, limits = clientLimits } = options;
  const bodies = new RequestBodies(options.maxBodyBytes);
  const server = createServer(
    {
      cert: options.certificate,
      key: options.key,
      ca: options.clientAuthority,
      allowPartialTrustChain: true,
      requestCert: true,
      rejectUnauthorized: false,
      maxHeaderSize: headerLimit,
      keepAliveTimeout: 120_000,
      handshakeTimeout: limits.handshakeMs,
      headersTimeout: limits.headersMs,
      // Until all of the request is received. A watch stays open: its time is that of the response.
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: limits.checkEachMs,
    },
    (request, response) => {
      serve(api, clock, bodies, request, response).catch((error: unknown) => response.destroy(error as Error));
    },
  );
  const upgraded = new Set<Duplex>();
  server.on('upgrade', (request, socket, head) => {
    upgraded.add(socket);
    socket.once('close', () => upgraded.delete(socket));
    // Whoever goes away before the answer is there gets none.
    socket.on('error', () => socket.destroy());
    serveUpgrade(api, clock, request, socket, head).catch(() => socket.destroy());
  });
  // A client that goes away in the middle of a handshake is its own affair.
  server.on('tlsClientError', () => {});
  server.on('clientError', refuseMalformed);
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  return { host, port: address.port, close: (graceMs = 2_000) => close(server, upgraded, clock, graceMs) };
}

async function serve(
  api: ApiHandler,
  clock: Clock,
  bodies: RequestBodies,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (await isRejected(api, clock, request)) {
    void discardRest(request);
    await answerAndClose(await api.handle(apiRequest(request, clock)));
    return;
  }
  const answer = await bodies.use(request, async (body) => {
    if (typeof body === 'string') return body;
    return api.handle(apiRequest(request, clock, body));
  });
  if (typeof answer !== 'string') return write(request, response, clock, audited(request, answer));
  await discardRest(request);
  await answerAndClose(statusAnswer(bodyRejections[answer].status));

  /** What is still on its way would be read as the next request. */
  function answerAndClose(last: ApiAnswer): Promise<void> {
    response.setHeader('connection', 'close');
    return write(request, response, clock, audited(request, last));
  }
}

/** Whether the request is denied whatever its body holds. Such a body is never buffered. */
async function isRejected(api: ApiHandler, clock: Clock, request: IncomingMessage): Promise<boolean> {
  const { authorization, 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  if (!api.isDenied || (length === undefined && encoding === undefined)) return false;
  const asked = apiRequest(request, clock);
  const isKnown = asked.user !== undefined || authorization !== undefined;
  return isKnown && Number(length) <= smallBody ? false : await api.isDenied(asked);
}

/** A request that wants its connection for something else: it gets that, or an answer like any other. */
async function serveUpgrade(
  api: ApiHandler,
  clock: Clock,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<void> {
  const answer = audited(request, await api.handle(apiRequest(request, clock)));
  const { status, headers, payload } = answer;
  if (payload?.kind === 'upgrade') {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n`);
    payload.take(socket, head);
    return;
  }
  const response = new ServerResponse(request);
  response.assignSocket(socket as Socket);
  response.shouldKeepAlive = false;
  // Of a connection that is to be upgraded Node's server does not say any more when there is room again.
  socket.on('drain', () => response.emit('drain'));
  response.once('finish', () => socket.end());
  await write(request, response, clock, answer);
}

function apiRequest(request: IncomingMessage, clock: Clock, body?: Uint8Array): ApiRequest {
  return {
    method: request.method ?? 'GET',
    path: request.url ?? '/',
    headers: request.headers as Readonly<Record<string, string>>,
    allHeaders: () => request.headersDistinct,
    clock,
    ...clientIdentity(request.socket as TLSSocket),
    body: body && { bytes: body },
  };
}

/** Every answer says by which id its request goes in logs: that of the audit log, the client's own, or a new one. */
function audited(request: IncomingMessage, answer: ApiAnswer): ApiAnswer {
  if (answer.headers['audit-id'] !== undefined) return answer;
  const id = request.headers['audit-id'];
  const added = { 'audit-id': typeof id === 'string' ? id : randomUUID() };
  return copyWith(answer, { headers: copyWith(answer.headers, added) });
}

async function write(
  request: IncomingMessage,
  response: ServerResponse,
  clock: Clock,
  { status, headers, warnings, payload }: ApiAnswer,
): Promise<void> {
  if (warnings) response.setHeader('warning', warningHeaders(warnings));
  if (payload?.kind === 'stream') {
    await writeStream(request, response, status, headers, payload);
  } else if (!payload || request.method === 'HEAD') {
    response.writeHead(status, headers).end();
  } else if (payload.kind === 'upgrade') {
    throw new TypeError(`${request.url} was not asked to be an upgrade`);
  } else if (payload.kind === 'watch') {
    response.writeHead(status, headers);
    watchWriter(payload, response, clock);
  } else if (payload.kind === 'bytes') {
    const { bytes } = payload;
    response.writeHead(status, copyWith(headers, { 'content-length': bytes.length }));
    await endWith(response, bytes);
  } else {
    await writeText(request, response, status, headers, textOf(payload));
  }
}

async function writeStream(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  { body, cookies }: Extract<Payload, { kind: 'stream' }>,
): Promise<void> {
  if (cookies.length > 0) response.setHeader('set-cookie', cookies);
  response.writeHead(status, headers);
  if (request.method === 'HEAD') {
    body.destroy();
    response.end();
  } else await pipeline(body, response);
}

async function writeText(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  text: string | Iterable<Piece>,
  clock: Clock = systemClock,
): Promise<void> {
  const pieces = (typeof text === 'string' ? [text] : text)[Symbol.iterator]();
  const first: string[] = [];
  let length = 0;
  let untilMs = clock.monotonicMs() + sliceMs;
  for (let next = pieces.next(); !next.done; next = pieces.next()) {
    // What is kept for the others' turn has to be a string.
    first.push(textOfPiece(next.value));
    length += sizeOfPiece(next.value);
    if (length < gzipFrom) {
      if (clock.monotonicMs() < untilMs) continue;
      await yieldToEventLoop();
      untilMs = clock.monotonicMs() + sliceMs;
      continue;
    }
    const packed = acceptsGzip(request);
    response.writeHead(status, packed ? { ...headers, 'content-encoding': 'gzip', vary: 'Accept-Encoding' } : headers);
    await writeLong(response, resumed(first, pieces), packed);
    return;
  }
  await endOfTurn();
  const whole = first.join('');
  const bytes = Buffer.byteLength(whole);
  response.writeHead(status, copyWith(headers, { 'content-length': bytes }));
  // Together with a text, Node would write the headers in the encoding of the text. ASCII is the same in
  // Latin-1, and as that it goes out as it is.
  if (response.hasHeader('warning')) await endWith(response, Buffer.from(whole));
  else await endWith(response, whole, bytes === whole.length ? 'latin1' : 'utf8');
}

/** What was taken of an iterator already, and then the rest of it. */
function* resumed(taken: readonly Piece[], rest: Iterator<Piece>): Generator<Piece> {
  yield* taken;
  yield* { [Symbol.iterator]: () => rest };
}

function textOf(payload: Extract<Payload, { kind: 'text' | 'json' }>): string | Iterable<Piece> {
  return payload.kind === 'text' ? payload.text : payload.json.text();
}

function acceptsGzip(request: IncomingMessage): boolean {
  return /(^|[\s,])gzip($|[\s,;])/.test(String(request.headers['accept-encoding'] ?? ''));
}

const malformed: Readonly<Record<string, readonly [number, string, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'RequestEntityTooLarge', `the headers are larger than ${headerLimit} bytes`],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Timeout', 'the request was not sent in time'],
};

/** What is no HTTP, or too much of it, never becomes a request; it gets an answer all the same. */
function refuseMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
  const [code, reason, message] = malformed[error.code ?? ''] ?? [
    400,
    'BadRequest',
    `the request is not HTTP: ${error.code ?? error.message}`,
  ];
  const text = JSON.stringify(statusError(code, reason, message).status);
  socket.end(
    `HTTP/1.1 ${code} ${STATUS_CODES[code]}\r\nconnection: close\r\ncontent-type: application/json\r\n` +
      `content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
}

async function close(server: Server, upgraded: Iterable<Duplex>, clock: Clock, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  // A stream has no known end.
  for (const socket of upgraded) socket.destroy();
  const timer = clock.after(graceMs, () => server.closeAllConnections());
  await closed;
  timer.cancel();
}
