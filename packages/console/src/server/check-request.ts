import type { IncomingHttpHeaders } from 'node:http';

/** Why a request is not answered. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
}

/** The parts of a request that say where it comes from. */
export interface RequestOrigin {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** How often the request has a Host header: proxies and servers pick different ones of several. */
  readonly hostHeaders: number;
}

/**
 * Rejects what a page of another site, or a name that was rebound to this address, makes a browser send.
 * @param hosts what may stand in `Host`, such as `127.0.0.1:7420`
 */
export function checkRequest(
  { method, headers, hostHeaders }: RequestOrigin,
  hosts: readonly string[],
): Refusal | undefined {
  const host = headers.host?.toLowerCase() ?? '';
  if (hostHeaders !== 1 || !hosts.includes(host)) {
    return { status: 421, message: `this console is only served at ${hosts.map((one) => `http://${one}`).join(', ')}` };
  }
  const { origin, 'sec-fetch-site': site } = headers;
  if (origin !== undefined && origin !== `http://${host}`) return { status: 403, message: 'another site asked' };
  // A link in a mail or a terminal opens the page itself; everything else comes from it.
  const isOwn = site === undefined || site === 'same-origin' || site === 'none';
  const opensPage =
    method === 'GET' && headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  if (!isOwn && !opensPage) return { status: 403, message: 'another site asked' };
  if (method === 'GET' || method === 'HEAD') return undefined;
  if (method !== 'POST') return { status: 405, message: 'GET and POST are answered' };
  if (origin === undefined) return { status: 403, message: 'a POST has to name its Origin' };
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  return type === 'application/json' ? undefined : { status: 415, message: 'a POST has to be application/json' };
}
