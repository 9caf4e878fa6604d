import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { type Access, type Clock, errorMessage } from '@slipway/kube';

/** How a page is fetched. */
export interface PageFetching {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Media types that are taken; plain text when absent. */
  readonly accept?: string;
  /** Called with the path of a page to which the caller lacks the right. */
  readonly denied?: ((path: string) => void) | undefined;
}

/** A page of a component could not be read. */
export class PageError extends Error {
  override readonly name = 'PageError';
  /** The HTTP status, where there was an answer. */
  readonly status: number | undefined;

  constructor(message: string, status?: number, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

const patienceMs = 10_000;
const largestBytes = 64 << 20;

/** Where a page is: an HTTP or HTTPS address with what to show there, or `unix:` and the path of a socket. */
export type PageAccess = Pick<Access, 'server' | 'credentials'>;

/**
 * Reads a page until `take` has what it wants or the page ends, and hangs up then. What comes
 * is a stranger's: it has ten seconds and 64 MiB.
 * @throws PageError
 */
export async function fetchPage(
  access: PageAccess,
  path: string,
  { clock, signal, accept = 'text/plain', denied }: PageFetching,
  take: (chunk: Buffer) => boolean,
): Promise<void> {
  const url = `${access.server}${path}`;
  const over = new AbortController();
  const stop = () => over.abort(signal.reason);
  const late = () => over.abort(new PageError(`${url} did not answer in full within ${patienceMs / 1000} s`));
  const limit = clock.after(patienceMs, late);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  let answer: IncomingMessage | undefined;
  try {
    answer = await open(access, path, accept, over.signal);
    const status = answer.statusCode ?? 0;
    if (status === 403) denied?.(path);
    if (status !== 200) throw new PageError(`${url} answers ${status}`, status);
    let bytes = 0;
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (take(chunk)) return;
      if (bytes > largestBytes) throw new PageError(`${url} is longer than ${largestBytes >> 20} MiB`);
    }
  } catch (error) {
    if (over.signal.aborted) throw over.signal.reason;
    if (error instanceof PageError) throw error;
    const why = errorMessage(error);
    throw new PageError(`${url} cannot be read: ${why}`, undefined, { cause: error });
  } finally {
    limit.cancel();
    signal.removeEventListener('abort', stop);
    answer?.destroy();
  }
}

async function open(
  { server, credentials }: PageAccess,
  path: string,
  accept: string,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { ca, cert, key, servername, insecure, headers } = await credentials();
  const tls = { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }), ...(servername && { servername }) };
  const socketPath = server.startsWith('unix:') ? server.slice('unix:'.length) : undefined;
  const url = new URL(path, socketPath === undefined ? server : 'http://localhost');
  const where = socketPath === undefined ? {} : { socketPath };
  const options = { ...tls, ...where, rejectUnauthorized: insecure !== true, headers: { ...headers, accept }, signal };
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? requestHttps : requestHttp;
    send(url, { ...options, agent: false }, resolve)
      .once('error', reject)
      .end();
  });
}
