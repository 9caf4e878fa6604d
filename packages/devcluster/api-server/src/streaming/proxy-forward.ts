import { request as httpRequest, type IncomingMessage } from 'node:http';
import { posix } from 'node:path';
import type { Duplex } from 'node:stream';
import { stringifyJson } from '@slipway/kube';
import type { AdmittedRequest, ApiAnswer } from '../request/request.js';

/** Headers that are about one connection only (RFC 9110, 7.6.1), and those that no proxy passes on. */
const ofConnection: ReadonlySet<string> = new Set([
  'connection',
  'proxy-connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

export interface Onward {
  /** The connection to what answers; it is closed with the answer. */
  readonly socket: Duplex;
  /** Address and port of what answers. */
  readonly host: string;
  /** The path as far as the proxy. */
  readonly before: string;
  /** Path and query behind it. */
  readonly path: string;
  /** Tells what answers who asks. */
  readonly identity?: {
    readonly headers: Readonly<Record<string, string | readonly string[]>>;
    /** Whether a header of the client, in lower case, says so, too: it is not passed on. */
    readonly isClaim: (header: string) => boolean;
  };
}

/**
 * Hands a request on, without what tells who sent it, and hands back the answer as it comes. Redirections that stay at
 * the same place lead through the proxy.
 * @throws Error when there is no answer
 */
export function forward(request: AdmittedRequest, onward: Onward): Promise<ApiAnswer> {
  const { socket, before, path } = onward;
  const body = bodyOf(request);
  const headers = {
    ...passedOn(request, onward.identity?.isClaim),
    ...onward.identity?.headers,
    'x-forwarded-uri': before + path.replace(/\?.*/, ''),
    ...(body && { 'content-length': String(body.length) }),
    ...(request.headers.upgrade && { connection: 'Upgrade', upgrade: request.headers.upgrade }),
  };
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ createConnection: () => socket, method: request.method, path, headers }, (response) =>
      resolve(answerOf(response, request, onward)),
    );
    sent.on('upgrade', (response, behind, early) => resolve(upgraded(response, behind, early)));
    sent.on('error', reject);
    sent.end(body);
  });
}

function bodyOf({ body }: AdmittedRequest): Buffer | undefined {
  if (!body) return undefined;
  return 'bytes' in body ? Buffer.from(body.bytes) : Buffer.from(stringifyJson(body.value));
}

function passedOn(
  { headers, allHeaders }: AdmittedRequest,
  isClaim: (header: string) => boolean = () => false,
): Record<string, string | readonly string[]> {
  const dropped = droppedBy(headers.connection);
  const isPrivate = (name: string) => name === 'authorization' || name.startsWith('impersonate-') || isClaim(name);
  const all = Object.entries({ ...headers, ...allHeaders?.() }).flatMap(([name, value]) =>
    value === undefined || dropped(name) || isPrivate(name) || name === 'content-length'
      ? []
      : [[name, value] as const],
  );
  return { host: 'localhost', ...Object.fromEntries(all) };
}

/** Whether a header goes no further: it is about the connection, or the connection says so. */
function droppedBy(connection: string | undefined): (name: string) => boolean {
  const named = new Set((connection ?? '').split(',').map((each) => each.trim().toLowerCase()));
  return (name) => ofConnection.has(name) || named.has(name);
}

function answerOf(response: IncomingMessage, request: AdmittedRequest, onward: Onward): ApiAnswer {
  const headers = passedBack(response);
  if (headers.location !== undefined) headers.location = relocated(headers.location, request, onward);
  const cookies = response.headers['set-cookie'] ?? [];
  return { status: response.statusCode ?? 502, headers, payload: { kind: 'stream', body: response, cookies } };
}

/** The client and what answered have the connection to themselves from now on. */
function upgraded(response: IncomingMessage, behind: Duplex, early: Buffer): ApiAnswer {
  const headers = { ...passedBack(response), connection: 'Upgrade', upgrade: response.headers.upgrade ?? '' };
  const take = (client: Duplex, head: Buffer) => {
    behind.write(head);
    client.write(early);
    client.pipe(behind).pipe(client);
    // Whoever ends it, and however, ends it for both.
    client.once('close', () => behind.destroy());
    behind.once('close', () => client.destroy());
    behind.on('error', () => behind.destroy());
  };
  return { status: 101, headers, payload: { kind: 'upgrade', take } };
}

function passedBack(response: IncomingMessage): Record<string, string> {
  const dropped = droppedBy(response.headers.connection);
  const all = Object.entries(response.headersDistinct).filter(
    ([name]) => !dropped(name) && name !== 'set-cookie' && !name.startsWith('access-control-'),
  );
  return Object.fromEntries(all.map(([name, values = []]) => [name, values.join(', ')]));
}

/** Where a redirection leads, seen from in front of the proxy. */
function relocated(location: string, { headers }: AdmittedRequest, { host, before }: Onward): string {
  const [, elsewhere, path = ''] = /^(?:[a-z][a-z\d+.-]*:)?(?:\/\/([^/?#]*))?(.*)$/i.exec(location) ?? [];
  const isHere = elsewhere === undefined || elsewhere === host || elsewhere === headers.host;
  if (!isHere || !path.startsWith('/') || path.startsWith(before)) return location;
  return before + posix.normalize(path);
}
