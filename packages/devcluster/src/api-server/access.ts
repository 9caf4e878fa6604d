import type { Access, Authorizer } from '../auth/access.js';
import type { Authenticate } from '../auth/authenticate.js';
import { impersonatedFor } from '../auth/constrained-impersonation.js';
import { accessForbidden } from '../auth/forbidden.js';
import { impersonated, wantedUser } from '../auth/impersonate.js';
import { requestAccess } from '../auth/request-access.js';
import type { Address } from './address.js';
import type { AdmittedRequest, ApiRequest, User } from './request.js';

/** Lets a request in, or not. At once, unless it takes time to find out who asks. */
export type Admit = (request: ApiRequest, address: Address) => AdmittedRequest | Promise<AdmittedRequest>;

export interface AccessOptions {
  readonly authenticate: Authenticate;
  readonly authorizer: Authorizer;
  /** Value of an API server gate. */
  readonly isEnabled: (gate: string) => boolean;
}

/**
 * Settles who asks, who they want to be taken for, and whether that one may do what is asked.
 *
 * @throws StatusError Unauthorized, BadRequest or Forbidden, from the function returned.
 */
export function accessControl(options: AccessOptions): Admit {
  return (request, address) => {
    const known = options.authenticate(request);
    if (known === request.user) return admitted(options, request as AdmittedRequest, address);
    const admit = (user: User) => admitted(options, { ...request, user }, address);
    return known instanceof Promise ? known.then(admit) : admit(known);
  };
}

function admitted(options: AccessOptions, request: AdmittedRequest, address: Address): AdmittedRequest {
  const access = requestAccess(request.method, address);
  const user = actingUser(options, request, access);
  const { allowed, reason } = options.authorizer.authorize(user, access);
  request.trail?.admitted(request.user, user);
  if (!allowed) throw accessForbidden(user, access, reason);
  return user === request.user ? request : { ...request, user };
}

/** Who the server is to take the sender for. */
function actingUser({ authorizer, isEnabled }: AccessOptions, request: AdmittedRequest, access: Access): User {
  const wanted = wantedUser(request);
  if (!wanted) return request.user;
  return isEnabled('ConstrainedImpersonation')
    ? impersonatedFor(authorizer, request.user, wanted, access)
    : impersonated(authorizer, request.user, wanted);
}
