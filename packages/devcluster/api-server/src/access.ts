import type { Access, Authorizer } from '@slipway/api-machinery/identity/access';
import type { User } from '@slipway/api-machinery/identity/user';
import type { Authenticate } from './auth/authenticate.js';
import { impersonatedFor } from './auth/constrained-impersonation.js';
import { impersonated, wantedUser } from './auth/impersonate.js';
import type { Address } from './request/address.js';
import { accessForbidden } from './request/forbidden.js';
import type { AdmittedRequest, ApiRequest } from './request/request.js';
import { requestAccess } from './request/request-access.js';

/** Who asks for what; whether they may is another question. */
export interface KnownRequest {
  readonly request: AdmittedRequest;
  readonly access: Access;
}

export interface AccessControl {
  /**
   * Authenticates the caller and applies impersonation, synchronously where possible.
   * @throws StatusError Unauthorized, BadRequest, or Forbidden to impersonate the user
   */
  identify(request: ApiRequest, address: Address): KnownRequest | Promise<KnownRequest>;
  /** @throws StatusError Forbidden */
  requireAllowed(known: KnownRequest): void;
}

export interface AccessOptions {
  readonly authenticate: Authenticate;
  readonly authorizer: Authorizer;
  /** Value of an API server gate. */
  readonly isEnabled: (gate: string) => boolean;
}

/** Finds out who asks, and whether that one may do what is asked. */
export function accessControl(options: AccessOptions): AccessControl {
  return {
    identify(request, address) {
      const known = options.authenticate(request);
      if (known === request.user) return identified(options, request as AdmittedRequest, address);
      const identify = (user: User) => identified(options, { ...request, user }, address);
      return known instanceof Promise ? known.then(identify) : identify(known);
    },
    requireAllowed({ request: { user }, access }) {
      const { allowed, reason } = options.authorizer.authorize(user, access);
      if (!allowed) throw accessForbidden(user, access, reason);
    },
  };
}

function identified(options: AccessOptions, request: AdmittedRequest, address: Address): KnownRequest {
  const access = requestAccess(request.method, address);
  const user = actingUser(options, request, access);
  request.trail?.admitted(request.user, user);
  return { request: user === request.user ? request : { ...request, user }, access };
}

/** Who the server is to take the sender for. */
function actingUser({ authorizer, isEnabled }: AccessOptions, request: AdmittedRequest, access: Access): User {
  const wanted = wantedUser(request);
  if (!wanted) return request.user;
  return isEnabled('ConstrainedImpersonation')
    ? impersonatedFor(authorizer, request.user, wanted, access)
    : impersonated(authorizer, request.user, wanted);
}
