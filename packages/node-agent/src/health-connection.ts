import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { PageAccess } from '@slipway/features/adapters';
import type { Clock } from '@slipway/kube';

/** What is behind a connection: the process that was there before, perhaps another, or none. */
export type Health = 'same' | 'perhaps another' | 'away';

const patienceMs = 5_000;

/**
 * A connection that is kept open to one component. While it holds, the process is the one it was; a few bytes
 * every now and then tell a restart, where its metrics page would be megabytes.
 */
export class HealthConnection {
  readonly #access: PageAccess;
  readonly #clock: Clock;
  readonly #denied: (path: string) => void;
  readonly #https = new HttpsAgent({ keepAlive: true, maxSockets: 1 });
  readonly #http = new HttpAgent({ keepAlive: true, maxSockets: 1 });

  /** @param denied called with the path to which this process lacks the right */
  constructor(access: PageAccess, clock: Clock, denied: (path: string) => void) {
    this.#access = access;
    this.#denied = denied;
    this.#clock = clock;
  }

  /** Any answer proves life: a denial comes from a live server. Never rejects. */
  async look(signal: AbortSignal): Promise<Health> {
    const first = await this.#ask(signal);
    // The other end may have closed an old connection at this very moment.
    return first === 'broken' ? await this.#ask(signal).then((next) => (next === 'broken' ? 'away' : next)) : first;
  }

  close(): void {
    this.#https.destroy();
    this.#http.destroy();
  }

  async #ask(signal: AbortSignal): Promise<Health | 'broken'> {
    const request = await this.#request().catch(() => undefined);
    if (!request) return 'away';
    return await new Promise((resolve) => {
      const end = () => request.destroy();
      const limit = this.#clock.after(patienceMs, end);
      signal.addEventListener('abort', end, { once: true });
      let health: Health | 'broken' = 'away';
      request.once('response', (answer: IncomingMessage) => {
        answer.resume();
        if (answer.statusCode === 403) this.#denied('/healthz');
        health = request.reusedSocket ? 'same' : 'perhaps another';
      });
      request.once('error', () => {
        if (health === 'away' && request.reusedSocket) health = 'broken';
      });
      request.once('close', () => {
        limit.cancel();
        signal.removeEventListener('abort', end);
        resolve(health);
      });
      if (signal.aborted) end();
      request.end();
    });
  }

  async #request(): Promise<ClientRequest> {
    const { server } = this.#access;
    const { ca, cert, key, servername, insecure, headers } = await this.#access.credentials();
    if (server.startsWith('unix:')) {
      return requestHttp({ socketPath: server.slice('unix:'.length), path: '/healthz', agent: this.#http });
    }
    const url = new URL('/healthz', server);
    if (url.protocol === 'http:') return requestHttp(url, { agent: this.#http });
    const tls = { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }), ...(servername && { servername }) };
    return requestHttps(url, {
      ...tls,
      rejectUnauthorized: insecure !== true,
      headers: { ...headers, accept: '*/*' },
      agent: this.#https,
    });
  }
}
