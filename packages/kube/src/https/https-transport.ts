import type { IncomingMessage } from 'node:http';
import { type Clock, sleep } from '../clock/clock.js';
import { keepProcessAlive } from '../clock/keep-process-alive.js';
import type { Access } from '../config/access.js';
import { parseJson } from '../transport/exact-json.js';
import { statusErrorOf } from '../transport/responses.js';
import type { KubeRequest, KubeResponse, Transport } from '../transport/transport.js';
import { Connections, readBody } from './exchange.js';
import { WatchDecoder } from './watch-decoder.js';

export interface HttpsTransportOptions {
  readonly clock: Clock;
  readonly userAgent?: string;
}

/** How often an overloaded server is asked again, and how long one wait may be. */
const maxRetries = 5;
const maxRetryAfterMs = 30_000;

/**
 * Talks to an API server over HTTPS (or HTTP, where the address says so) on kept
 * connections. An answer of 429 or 5xx that says when to come back is heeded for
 * requests that may safely be sent twice.
 */
export function httpsTransport(access: Access, options: HttpsTransportOptions): Transport {
  const { clock } = options;
  const connections = new Connections(access, options.userAgent ?? 'slipway');

  const send = async (request: KubeRequest): Promise<KubeResponse> => {
    const incoming = await connections.exchange(request, 'short', request.signal);
    try {
      return answerOf(incoming, await readBody(incoming));
    } catch (error) {
      throw request.signal?.aborted ? request.signal.reason : connections.broken(error);
    }
  };

  return {
    async request(request) {
      for (let retries = 0; ; retries++) {
        const response = await send(request);
        const waitMs = retryAfterMs(request, response);
        if (waitMs === undefined || retries >= maxRetries) return response;
        await keepProcessAlive(sleep(clock, waitMs, request.signal));
      }
    },

    async *stream(request, signal) {
      let incoming: IncomingMessage | undefined;
      try {
        incoming = await connections.exchange(request, 'long', signal);
        if (incoming.statusCode !== 200) throw statusErrorOf(answerOf(incoming, await readBody(incoming)));
        const decoder = new WatchDecoder();
        const chunks = incoming[Symbol.asyncIterator]();
        for (let chunk = await next(chunks); chunk; chunk = await next(chunks)) yield* decoder.push(chunk);
        if (decoder.isAmidFrame) throw connections.broken('the watch ended within an event');
      } catch (error) {
        if (!signal.aborted) throw error;
      } finally {
        incoming?.destroy();
      }
    },
  };

  /** The next bytes; undefined at the end. */
  async function next(chunks: AsyncIterator<Buffer>): Promise<Buffer | undefined> {
    try {
      const { value, done } = await chunks.next();
      return done ? undefined : value;
    } catch (error) {
      throw connections.broken(error);
    }
  }
}

function answerOf(incoming: IncomingMessage, bytes: Buffer): KubeResponse {
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );
  const text = bytes.toString('utf8');
  const isJson = /^application\/([\w.+-]*\+)?json\b/.test(headers['content-type'] ?? '');
  return { status: incoming.statusCode ?? 0, headers, body: isJson && text !== '' ? parseJson(text) : text };
}

function retryAfterMs({ method }: KubeRequest, { status, headers }: KubeResponse): number | undefined {
  const isIdempotent = method === 'GET' || method === 'PUT' || method === 'DELETE';
  const seconds = Number.parseInt(headers['retry-after'] ?? '', 10);
  if (!isIdempotent || (status !== 429 && status < 500) || Number.isNaN(seconds)) return undefined;
  return Math.min(maxRetryAfterMs, Math.max(0, seconds) * 1000);
}
