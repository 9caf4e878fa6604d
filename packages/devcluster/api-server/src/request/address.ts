import { minorOf } from '@slipway/api-machinery/schema/supported-versions';
import { Query } from './query.js';
import { parseRequestPath, type RequestPath } from './request-path.js';

/** Paths of OpenID Connect Discovery. */
export const openidConfigurationPath = '/.well-known/openid-configuration';
export const keySetPath = '/openid/v1/jwks';

/** Where a request is sent. */
export interface Address {
  /** Decoded. */
  readonly path: string;
  readonly parts: readonly string[];
  /** What the path names. */
  readonly parsed: RequestPath;
  readonly query: Query;
}

/** Reads path and query as they are on the wire. */
export function addressOf(target: string): Address {
  const mark = target.indexOf('?');
  const encoded = mark < 0 ? target : target.slice(0, mark);
  const path = encoded.includes('%') ? decoded(encoded) : encoded;
  const query = new Query(mark < 0 ? '' : target.slice(mark + 1));
  return { path, parts: path.split('/'), parsed: parseRequestPath(path), query };
}

/** What generated clients ask for as the API document names it: with a slash at the end. */
const restServices = new Set(['/api/', '/apis/', '/version/', `${openidConfigurationPath}/`, `${keySetPath}/`]);

/**
 * Resolves an address on a server of this version, such as `1.34`. A REST service is also served with a trailing slash,
 * except in 1.36, which answers 404 there (go-restful 3.13).
 */
export function routed(address: Address, version: string): Pick<Address, 'path' | 'parts' | 'parsed'> {
  if (!restServices.has(address.path) || minorOf(version) === 36) return address;
  const path = address.path.slice(0, -1);
  return { path, parts: path.split('/'), parsed: parseRequestPath(path) };
}

/** Malformed escapes stay as they are: nothing is named so. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
