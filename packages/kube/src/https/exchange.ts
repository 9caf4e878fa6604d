import { createHash } from 'node:crypto';
import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { UnreachableError } from '../client/responses.js';
import type { KubeRequest } from '../client/transport.js';
import type { Access, Credentials } from '../config/access.js';

/** Dead connections are noticed within half a minute. */
const keepAliveMs = 15_000;
/** How long a server may take to begin its answer, and to pause within one that is no watch. */
const patienceMs = 60_000;

/**
 * Opens connections to one server and keeps them. New certificates mean new
 * connections; those with the old ones end with what runs on them.
 */
export class Connections {
  readonly #access: Access;
  readonly #userAgent: string;
  #agents: { readonly key: string; readonly short: http.Agent; readonly long: http.Agent } | undefined;

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
    signal?.throwIfAborted();
    const credentials = await this.#access.credentials();
    const url = new URL(this.#access.server + request.path);
    const body = request.body === undefined ? undefined : Buffer.from(JSON.stringify(request.body));
    const open = url.protocol === 'http:' ? http.request : https.request;
    return await new Promise((resolve, reject) => {
      const outgoing: ClientRequest = open(url, {
        method: request.method,
        agent: this.#agentFor(credentials, kind, url.protocol),
        ...(signal ? { signal } : {}),
        headers: {
          accept: 'application/json',
          'user-agent': this.#userAgent,
          ...(kind === 'short' ? { 'accept-encoding': 'gzip' } : {}),
          ...(credentials.headers as Record<string, string | string[]>),
          ...request.headers,
          ...(body ? { 'content-type': request.contentType ?? 'application/json', 'content-length': body.length } : {}),
        },
      });
      outgoing.on('socket', (socket) => socket.setKeepAlive(true, keepAliveMs));
      outgoing.setTimeout(patienceMs, () => outgoing.destroy(new Error(`no answer within ${patienceMs / 1000} s`)));
      outgoing.on('response', (incoming) => {
        if (kind === 'long') outgoing.setTimeout(0);
        resolve(incoming);
      });
      outgoing.on('error', (error) => {
        reject(signal?.aborted ? signal.reason : this.unreachable(error, outgoing.reusedSocket));
      });
      outgoing.end(body);
    });
  }

  /** The error for a connection that broke. `wasReused`: it may have been closed before the request was sent. */
  unreachable(error: unknown, wasReused = false): UnreachableError {
    const why = error instanceof Error ? error.message || (error as NodeJS.ErrnoException).code : String(error);
    const broken = new UnreachableError(`cannot reach ${this.#access.server}: ${why}`, { cause: error });
    return wasReused && (error as NodeJS.ErrnoException).code === 'ECONNRESET'
      ? Object.assign(broken, { [stale]: true })
      : broken;
  }

  #agentFor(credentials: Credentials, kind: 'short' | 'long', protocol: string): http.Agent {
    if (credentials.agent) return credentials.agent;
    const key = keyOf(credentials);
    if (this.#agents?.key !== key) {
      this.#agents?.short.destroy();
      const { ca, cert, key: secret, servername, insecure } = credentials;
      const options = {
        keepAlive: true,
        keepAliveMsecs: keepAliveMs,
        scheduling: 'lifo' as const,
        ...(ca ? { ca } : {}),
        ...(cert ? { cert } : {}),
        ...(secret ? { key: secret } : {}),
        ...(servername ? { servername } : {}),
        ...(insecure ? { rejectUnauthorized: false } : {}),
      };
      const agent = (maxSockets: number) =>
        protocol === 'http:' ? new http.Agent({ ...options, maxSockets }) : new https.Agent({ ...options, maxSockets });
      this.#agents = { key, short: agent(64), long: agent(Number.POSITIVE_INFINITY) };
    }
    return this.#agents[kind];
  }
}

const stale = Symbol('the connection was kept from an earlier request and had been closed meanwhile');

/** Whether a request failed on a kept connection the server had closed: sending it again is likely to work. */
export function wasStale(error: unknown): boolean {
  return error instanceof UnreachableError && stale in error;
}

/** Which connections credentials may share. Hashed, so that no secret is kept twice. */
function keyOf({ ca, cert, key, servername, insecure }: Credentials): string {
  const hash = createHash('sha256');
  for (const part of [ca, cert, key, servername, String(insecure)]) hash.update(part ?? '').update('\0');
  return hash.digest('hex');
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
