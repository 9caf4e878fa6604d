import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Access, Credentials } from '../config/access.js';
import { stringifyJson } from '../transport/exact-json.js';
import { UnreachableError } from '../transport/responses.js';
import type { KubeRequest } from '../transport/transport.js';

/** Dead connections are noticed within half a minute. */
const keepAliveMs = 15_000;
/** How long a server may take to begin its answer, and to pause within one that is not a watch. */
const patienceMs = 60_000;

/**
 * Opens connections to one server and keeps them. New certificates mean new
 * connections; those with the old ones end with what runs on them.
 */
export class Connections {
  readonly #access: Access;
  readonly #userAgent: string;
  #agents: { readonly of: Credentials; readonly short: http.Agent; readonly long: http.Agent } | undefined;

  constructor(access: Access, userAgent: string) {
    this.#access = access;
    this.#userAgent = userAgent;
  }

  /**
   * Sends a request and resolves with the head of the answer. `long` exchanges
   * (watches) have connections of their own, so that they never starve the others.
   * @throws UnreachableError when no answer comes, or the signal's reason.
   */
  async exchange(
    request: KubeRequest,
    kind: 'short' | 'long',
    signal: AbortSignal | undefined,
  ): Promise<IncomingMessage> {
    const first = await this.#attempt(request, kind, signal);
    // A server may close a kept connection at the moment it is used again; a read can be sent twice.
    const again = first.kind === 'failed' && first.wasKept && request.method === 'GET' && !signal?.aborted;
    const attempt = again ? await this.#attempt(request, kind, signal) : first;
    if (attempt.kind === 'answered') return attempt.incoming;
    if (signal?.aborted) throw signal.reason;
    throw new UnreachableError(`cannot reach ${this.#access.server}: ${whyOf(attempt.error)}`, {
      cause: attempt.error,
    });
  }

  /** The error for an answer that began and broke. */
  broken(error: unknown): UnreachableError {
    return new UnreachableError(`the connection to ${this.#access.server} broke: ${whyOf(error)}`, { cause: error });
  }

  async #attempt(request: KubeRequest, kind: 'short' | 'long', signal: AbortSignal | undefined): Promise<Attempt> {
    signal?.throwIfAborted();
    const credentials = await unlessAborted(this.#access.credentials(), signal);
    const proxies = credentials.proxy === undefined ? undefined : await import('./proxy-agent.js');
    const url = new URL(this.#access.server + request.path);
    const body = request.body === undefined ? undefined : Buffer.from(stringifyJson(request.body));
    const open = url.protocol === 'http:' ? http.request : https.request;
    return await new Promise((resolve) => {
      const outgoing: ClientRequest = open(url, {
        method: request.method,
        agent: this.#agentFor(credentials, kind, url.protocol, proxies?.proxyAgent),
        ...(signal ? { signal } : {}),
        headers: {
          accept: 'application/json',
          'user-agent': this.#userAgent,
          ...(kind === 'short' && !isLoopback(url.hostname) ? { 'accept-encoding': 'gzip' } : {}),
          ...(credentials.headers as Record<string, string | string[]>),
          ...request.headers,
          ...(body ? { 'content-type': request.contentType ?? 'application/json', 'content-length': body.length } : {}),
        },
      });
      outgoing.on('socket', (socket) => socket.setKeepAlive(true, keepAliveMs));
      outgoing.setTimeout(patienceMs, () => outgoing.destroy(new Error(`no answer within ${patienceMs / 1000} s`)));
      outgoing.on('response', (incoming) => {
        if (kind === 'long') outgoing.setTimeout(0);
        if (incoming.statusCode === 401) this.#access.rejected?.();
        resolve({ kind: 'answered', incoming });
      });
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        const wasClosed = error.code === 'ECONNRESET' || error.code === 'EPIPE';
        resolve({ kind: 'failed', error, wasKept: outgoing.reusedSocket && wasClosed });
      });
      outgoing.end(body);
    });
  }

  #agentFor(
    credentials: Credentials,
    kind: 'short' | 'long',
    protocol: string,
    proxyAgent: typeof import('./proxy-agent.js').proxyAgent | undefined,
  ): http.Agent {
    if (!this.#agents || !isSameTls(this.#agents.of, credentials)) {
      this.#agents?.short.destroy();
      const { ca, cert, key, servername, insecure, proxy } = credentials;
      const options = {
        keepAlive: true,
        keepAliveMsecs: keepAliveMs,
        scheduling: 'lifo' as const,
        ...(ca ? { ca } : {}),
        ...(cert ? { cert } : {}),
        ...(key ? { key } : {}),
        ...(servername ? { servername } : {}),
        ...(insecure ? { rejectUnauthorized: false } : {}),
      };
      const agent = (maxSockets: number) => {
        if (proxy && proxyAgent) return proxyAgent(proxy, protocol, { ...options, maxSockets });
        return new (protocol === 'http:' ? http : https).Agent({ ...options, maxSockets });
      };
      this.#agents = { of: credentials, short: agent(64), long: agent(Number.POSITIVE_INFINITY) };
    }
    return this.#agents[kind];
  }
}

type Attempt =
  | { readonly kind: 'answered'; readonly incoming: IncomingMessage }
  /** `wasKept`: the connection was kept from an earlier request, and closed. */
  | { readonly kind: 'failed'; readonly error: Error; readonly wasKept: boolean };

/** Stops waiting when the signal aborts: a credential plugin may ask a person. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** Errors that join several, one for each address tried, have a code and no message. */
function whyOf(error: unknown): string {
  return error instanceof Error ? error.message || String((error as NodeJS.ErrnoException).code) : String(error);
}

/** Whether credentials may share connections. Headers may differ: they are sent with each request. */
function isSameTls(a: Credentials, b: Credentials): boolean {
  return (
    isSame(a.ca, b.ca) &&
    isSame(a.cert, b.cert) &&
    isSame(a.key, b.key) &&
    a.servername === b.servername &&
    a.insecure === b.insecure &&
    a.proxy === b.proxy
  );
}

function isSame(a: string | Buffer | undefined, b: string | Buffer | undefined): boolean {
  return a === b || (Buffer.isBuffer(a) && Buffer.isBuffer(b) && a.equals(b));
}

/** The body of an answer, unpacked. */
export async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const isPacked = incoming.headers['content-encoding'] === 'gzip';
  const source: Readable = isPacked ? incoming.pipe(createGunzip()) : incoming;
  if (isPacked) incoming.once('error', (error) => source.destroy(error));
  const parts: Buffer[] = [];
  for await (const part of source) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

/** Whether a server is on this machine: compressing what it answers would take longer than sending it. */
export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}
