import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ownAuthor } from '@slipway/features';
import type { Kube } from '@slipway/kube';
import type { LimiterAddress } from '../feeds/limiter.js';
import type { OpenProposals } from '../feeds/proposals.js';
import { type ApiCall, sendJson } from './calls.js';
import { checkRequest } from './check-request.js';
import { type Pages, servedPages } from './pages.js';
import { readBody } from './read-body.js';
import { safeJson } from './safe-json.js';
import { securityHeaders } from './security-headers.js';
import { type Session, Sessions } from './sessions.js';
import { Visits } from './visits.js';

export interface ConsoleOptions {
  /** The cluster, with the rights of whoever looks; or how to reach it with the token that a browser signs in with. */
  readonly kube: Kube | ConnectAs;
  /** What the cluster is called, for the head of every page. */
  readonly cluster: string;
  readonly pages: Pages;
  /** Pull limiters to show and steer; none by default. */
  readonly limiters?: readonly LimiterAddress[] | undefined;
  /** Opens the checkout of proposals to show; without it there is none. */
  readonly openProposals?: OpenProposals | undefined;
  /** Whether what answers pages is loaded at once: for a process that has nothing else to do. By default with the first page. */
  readonly preload?: boolean | undefined;
  /** A port of 127.0.0.1; 0 takes a free one. */
  readonly port: number;
  /** Called after each sign-in, with the address for the next one. */
  readonly onSignIn?: (nextAddress: string) => void;
}

/** Reaches the cluster with the bearer token of a user, and with no other credentials. */
export type ConnectAs = (token: string) => Promise<Kube>;

/** A console that is served. */
export interface Console {
  /** `http://127.0.0.1:7420` */
  readonly url: string;
  /** The address to open: it signs in once, unless browsers sign in with tokens. */
  readonly address: string;
  close(): Promise<void>;
}

const host = '127.0.0.1';
const usedBefore = 'this address was used before, or is of another run of the console';
const notAccepted = 'the cluster does not accept this token';
/** A bearer token as RFC 6750 writes it: nothing that could end a header. */
const bearer = /^[\w.~+/-]{1,16384}=*$/;

/**
 * Serves the console to browsers of this machine until it is closed.
 * @throws Error (EADDRINUSE, EACCES) when the port cannot be listened on
 */
export async function startConsole(options: ConsoleOptions): Promise<Console> {
  const { kube, cluster, pages, port, onSignIn, limiters = [], openProposals, preload } = options;
  const byToken = typeof kube === 'function';
  // What the process itself may read and steer is not for everybody who has a token.
  const own = byToken ? { limiters: [] } : { limiters, openProposals };
  const load = () => import('./api.js');
  const visits = new Visits(({ kube: of }) =>
    load().then(({ consoleApi }) => consoleApi({ kube: of, cluster, ...own })),
  );
  const sessions = new Sessions(
    () => randomBytes(32).toString('base64url'),
    ({ id }) => visits.end(id),
  );
  const stopping = new AbortController();
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
  const addressOf = () => (byToken ? `${url}/` : `${url}/#token=${sessions.token}`);

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value);
    const { method = '', headers } = request;
    const hostHeaders = request.rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length;
    const refusal = checkRequest({ method, headers, hostHeaders }, hosts);
    if (refusal) return sendError(response, refusal.status, refusal.message);
    // Taken as it was sent: a path that would have to be resolved first is none of ours.
    const [pathname = '', query = ''] = (request.url ?? '').split('?', 2);
    if (pathname === '/api/sign-in' && method === 'POST') return signIn(request, response);
    if (pathname === '/api/sign-in') return sendJson(response, 200, { byToken });
    if (pathname.startsWith('/api/')) {
      const session = { id: cookieOf(headers.cookie, cookie), proof: String(headers['x-slipway-proof'] ?? '') };
      if (!sessions.isKnown(session))
        return sendError(
          response,
          401,
          byToken ? 'sign in with a token' : 'sign in with the address that the console printed',
        );
      if (pathname === '/api/sign-out' && method === 'POST') {
        sessions.end(session);
        return sendJson(response, 200, {});
      }
      const call: ApiCall = {
        method,
        path: pathname,
        query: new URLSearchParams(query),
        response,
        signal: stopping.signal,
      };
      const answers = await visits.api(session.id);
      return await answers.answer(method === 'POST' ? { ...call, body: await readBody(request) } : call);
    }
    const file = method === 'POST' ? undefined : files(pathname, headers['accept-encoding']?.toString());
    if (!file) return sendError(response, 404, 'there is no such page');
    // A browser reads the page meanwhile.
    if (file.isDocument) response.once('finish', () => void load());
    response.writeHead(200, file.headers).end(method === 'HEAD' ? undefined : file.body);
  }

  async function signIn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { token } = (await readBody(request)) as { readonly token?: unknown };
    const given = typeof token === 'string' ? token : '';
    const session = byToken ? await openWith(given) : sessions.signIn(given);
    if (!session) return sendError(response, 401, byToken ? notAccepted : usedBefore);
    if (!byToken) visits.begin(session.id, { kube, isShared: true });
    response.setHeader('set-cookie', `${cookie}=${session.id}; HttpOnly; SameSite=Strict; Path=/api`);
    response.setHeader('content-type', 'application/json');
    response.end(safeJson({ proof: session.proof }));
    onSignIn?.(addressOf());
  }

  /** Opens a session with the rights of a token; undefined for one that the cluster does not accept. */
  async function openWith(token: string): Promise<Session | undefined> {
    if (!byToken || !bearer.test(token)) return undefined;
    const viewer = await kube(token);
    const user = await ownAuthor(viewer, stopping.signal).catch(() => undefined);
    if (!user) return undefined;
    const session = sessions.open();
    visits.begin(session.id, { kube: viewer, isShared: false });
    return session;
  }

  if (preload) void load();
  return {
    url,
    get address() {
      return addressOf();
    },
    async close() {
      stopping.abort();
      await visits.close();
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
