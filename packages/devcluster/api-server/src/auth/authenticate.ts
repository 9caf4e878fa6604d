import { unauthorized } from '@slipway/api-machinery/errors/status-errors';
import { anonymous } from '@slipway/api-machinery/identity/access';
import type { User } from '@slipway/api-machinery/identity/user';
import { type CheckedToken, TokenError } from '../registry/review.js';
import type { ApiRequest } from '../request/request.js';
import type { ServiceAccountTokens } from './tokens/service-account-tokens.js';

/** Users that bearer tokens stand for, by token: for programs that know no other way. */
export type StaticTokens = ReadonlyMap<string, User>;

/** Finds out who bears a token. At once, unless it was never seen before. */
export type TokenChecker = (token: string, audiences?: readonly string[]) => CheckedToken | Promise<CheckedToken>;

/** Finds out who sent a request. At once, unless a token was never seen before. */
export type Authenticate = (request: ApiRequest) => User | Promise<User>;

/** Believes tokens that were handed out, and those of service accounts. */
export function tokenChecker(tokens: ServiceAccountTokens, handedOut: StaticTokens = new Map()): TokenChecker {
  return (token, audiences = tokens.audiences) => {
    const user = handedOut.get(token);
    return user ? { user, audiences } : tokens.check(token, audiences);
  };
}

/**
 * A client certificate says who a client is, or else a bearer token does; without
 * either it is anonymous. A certificate or token that is not believed is worse than none.
 *
 * @throws StatusError Unauthorized, from the function returned.
 */
export function authenticator(check: TokenChecker): Authenticate {
  return (request) => {
    if (request.user) return request.user;
    const token = bearerToken(request.headers.authorization);
    if (token !== undefined) return bearer(check, token);
    if (request.credentials === 'rejected') throw unauthorized();
    return anonymous;
  };
}

function bearer(check: TokenChecker, token: string): User | Promise<User> {
  try {
    const checked = check(token);
    return checked instanceof Promise ? checked.then(({ user }) => user, refuse) : checked.user;
  } catch (error) {
    return refuse(error);
  }
}

function refuse(error: unknown): never {
  throw error instanceof TokenError ? unauthorized() : error;
}

/** Other schemes are none of ours: whoever uses one is unknown. */
function bearerToken(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined;
  const [scheme = '', token = ''] = authorization.trim().split(' ');
  return scheme.toLowerCase() === 'bearer' && token !== '' ? token : undefined;
}
