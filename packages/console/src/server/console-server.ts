import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Kube } from '@slipway/kube';
import type { LimiterAddress } from '../feeds/limiter.js';
import type { OpenProposals } from '../feeds/proposals.js';
import type { ConsoleApi } from './api.js';
import type { ApiCall } from './calls.js';
import { checkRequest } from './check-request.js';
import { type Pages, servedPages } from './pages.js';
import { readBody } from './read-body.js';
import { safeJson } from './safe-json.js';
import { securityHeaders } from './security-headers.js';
import { Sessions } from './sessions.js';

export interface ConsoleOptions {
  /** The cluster, with the rights of whoever looks. */
  readonly kube: Kube;
  /** What the cluster is called, for the head of every page. */
  readonly cluster: string;
  readonly pages: Pages;
  /** Pull limiters to show and steer; none by default. */
  readonly limiters?: readonly LimiterAddress[] | undefined;
  /** Opens the checkout of proposals to show; without it there is none. */
  readonly openProposals?: OpenProposals | undefined;
  /** A port of 127.0.0.1; 0 takes a free one. */
  readonly port: number;
  /** Called after each sign-in, with the address for the next one. */
  readonly onSignIn?: (nextAddress: string) => void;
}

/** A console that is served. */
export interface Console {
  /** `http://127.0.0.1:7420` */
  readonly url: string;
  /** The address to open: it signs in once. */
  readonly address: string;
  close(): Promise<void>;
}

const host = '127.0.0.1';

/**
 * Serves the console to browsers of this machine until it is closed.
 * @throws Error (EADDRINUSE, EACCES) when the port cannot be listened on
 */
export async function startConsole(options: ConsoleOptions): Promise<Console> {
  const { kube, cluster, pages, port, onSignIn, limiters = [], openProposals } = options;
  const sessions = new Sessions(() => randomBytes(32).toString('base64url'));
  const stopping = new AbortController();
  // Most starts of a cluster are never looked at: what pages show is loaded for the first of them.
  let loading: Promise<ConsoleApi> | undefined;
  const api = () => {
    loading ??= import('./api.js').then(({ consoleApi }) => consoleApi({ kube, cluster, limiters, openProposals }));
    return loading;
  };
  const files = servedPages(pages);
  const server = createServer({ maxHeaderSize: 16_384 }, (request, response) => {
    void answer(request, response).catch(() => response.destroy());
  });
  server.listen(port, host);
  await once(server, 'listening');
  const { port: taken } = server.address() as AddressInfo;
  const url = `http://${host}:${taken}`;
  const hosts = [`${host}:${taken}`, `localhost:${taken}`];
  const cookie = `slipway-console-${taken}`;
  const addressOf = () => `${url}/#token=${sessions.token}`;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value);
    const { method = '', headers } = request;
    const hostHeaders = request.rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length;
    const refusal = checkRequest({ method, headers, hostHeaders }, hosts);
    if (refusal) return sendError(response, refusal.status, refusal.message);
    // Taken as it was sent: a path that would have to be resolved first is none of ours.
    const [pathname = '', query = ''] = (request.url ?? '').split('?', 2);
    if (pathname === '/api/sign-in' && method === 'POST') return signIn(request, response);
    if (pathname.startsWith('/api/')) {
      const session = { id: cookieOf(headers.cookie, cookie), proof: String(headers['x-slipway-proof'] ?? '') };
      if (!sessions.isKnown(session))
        return sendError(response, 401, 'sign in with the address that the console printed');
      const call: ApiCall = {
        method,
        path: pathname,
        query: new URLSearchParams(query),
        response,
        signal: stopping.signal,
      };
      const answers = await api();
      return await answers.answer(method === 'POST' ? { ...call, body: await readBody(request) } : call);
    }
    const file = method === 'POST' ? undefined : files(pathname, headers['accept-encoding']?.toString());
    if (!file) return sendError(response, 404, 'there is no such page');
    response.writeHead(200, file.headers).end(method === 'HEAD' ? undefined : file.body);
  }

  async function signIn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { token } = (await readBody(request)) as { readonly token?: unknown };
    const session = typeof token === 'string' ? sessions.signIn(token) : undefined;
    if (!session) return sendError(response, 401, 'this address was used before, or is of another run of the console');
    response.setHeader('set-cookie', `${cookie}=${session.id}; HttpOnly; SameSite=Strict; Path=/api`);
    response.setHeader('content-type', 'application/json');
    response.end(safeJson({ proof: session.proof }));
    onSignIn?.(addressOf());
  }

  return {
    url,
    get address() {
      return addressOf();
    },
    async close() {
      stopping.abort();
      await (await loading)?.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function sendError(response: ServerResponse, status: number, message: string): void {
  if (response.headersSent) return void response.destroy();
  response.writeHead(status, { 'content-type': 'application/json' }).end(safeJson({ error: message }));
}

/** The value of a cookie; empty when it is not sent exactly once. */
function cookieOf(header: string | undefined, name: string): string {
  const values = (header ?? '').split(';').flatMap((pair) => {
    const [key, value = ''] = pair.trim().split('=', 2);
    return key === name ? [value] : [];
  });
  return values.length === 1 ? (values[0] ?? '') : '';
}
