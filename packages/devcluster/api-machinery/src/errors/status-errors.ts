import { type ResourceRef, type Status, type StatusDetails, StatusError } from '@slipway/kube';
import type { FieldError } from './field-error.js';
import { describeFieldErrors, firstErrors, shown, toCauses } from './field-errors.js';

/** What names a resource in messages: `deployments.apps`, `pods`. */
type Named = Pick<ResourceRef, 'group' | 'plural'>;

/** `plural.group`, or `plural` for the core group. */
export function groupResource(resource: Named): string {
  return resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;
}

/** A refusal in the words of Kubernetes; `details` without empty members. */
export function statusError(code: number, reason: string | undefined, message: string, details?: StatusDetails) {
  const status: Status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    ...(reason === undefined ? {} : { reason }),
    ...(details === undefined ? {} : { details: withoutEmpty(details) }),
    code,
  };
  return new StatusError(status);
}

/** 400: the request makes no sense. */
export function badRequest(message: string): StatusError {
  return statusError(400, 'BadRequest', message);
}

/** 401: no identity that this server knows. */
export function unauthorized(): StatusError {
  return statusError(401, 'Unauthorized', 'Unauthorized');
}

/** 403 about an object or, without a name, about the resource. */
export function forbidden(resource: Named, name: string, why: string, causes?: StatusDetails['causes']): StatusError {
  const subject = name === '' ? groupResource(resource) : `${groupResource(resource)} "${name}"`;
  return statusError(403, 'Forbidden', `${subject} is forbidden: ${why}`, detailsOf(resource, name, causes));
}

/** 404 about an object. */
export function notFound(resource: Named, name: string): StatusError {
  return statusError(404, 'NotFound', `${groupResource(resource)} "${name}" not found`, detailsOf(resource, name));
}

/** 404 about a path or a resource type that is not served. */
export function noSuchPath(): StatusError {
  return statusError(404, 'NotFound', 'the server could not find the requested resource', {});
}

/** 405 for a resource that does not have this verb. */
export function methodNotSupported(resource: Named, verb: string): StatusError {
  const message = `${verb} is not supported on resources of kind "${groupResource(resource)}"`;
  return statusError(405, 'MethodNotAllowed', message, { group: resource.group, kind: resource.plural });
}

/** 405 for a path that does not have this method. */
export function methodNotAllowed(): StatusError {
  return statusError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});
}

/** 409: an object of this name is there. */
export function alreadyExists(resource: Named, name: string): StatusError {
  const message = `${groupResource(resource)} "${name}" already exists`;
  return statusError(409, 'AlreadyExists', message, detailsOf(resource, name));
}

/** 409: the write was computed from something that is not there any more. */
export function conflict(resource: Named, name: string, why = modified): StatusError {
  const message = `Operation cannot be fulfilled on ${groupResource(resource)} "${name}": ${why}`;
  return statusError(409, 'Conflict', message, detailsOf(resource, name));
}

const modified = 'the object has been modified; please apply your changes to the latest version and try again';

/** 410: the revision is older than the history kept. */
export function expired(message: string): StatusError {
  return statusError(410, 'Expired', message);
}

/** 413: the body, or what it would make, is too large. */
export function tooLarge(message: string): StatusError {
  return statusError(413, 'RequestEntityTooLarge', `Request entity too large: ${message}`);
}

/** Maximum number of reported errors: a hostile object must not turn into a message of megabytes. */
export const maxErrors = 1_000;

/** 422: the object breaks rules; `kind` is the qualified kind, or for storage errors the resource. */
export function invalid(kind: string, group: string, name: string, errors: readonly FieldError[]): StatusError {
  const qualified = group === '' ? kind : `${kind}.${group}`;
  const told = firstErrors(errors, maxErrors);
  const message = `${qualified} "${shown(name)}" is invalid: ${describeFieldErrors(told)}`;
  return statusError(422, 'Invalid', message, { name: shown(name), group, kind, causes: toCauses(told) });
}

/** 500: something that the request needs failed. */
export function internalError(message: string): StatusError {
  const said = `Internal error occurred: ${message}`;
  return statusError(500, 'InternalError', said, { causes: [{ message }] });
}

/** 503: not now, or not there. */
export function serviceUnavailable(message: string): StatusError {
  return statusError(503, 'ServiceUnavailable', message);
}

/** 504: what was asked for did not become true in time. */
export function timeout(
  message: string,
  retryAfterSeconds: number | undefined,
  causes?: StatusDetails['causes'],
): StatusError {
  return statusError(504, 'Timeout', `Timeout: ${message}`, {
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(causes === undefined ? {} : { causes }),
  });
}

function detailsOf(resource: Named, name: string, causes?: StatusDetails['causes']): StatusDetails {
  return { name, group: resource.group, kind: resource.plural, ...(causes === undefined ? {} : { causes }) };
}

function withoutEmpty(details: StatusDetails): StatusDetails {
  return Object.fromEntries(Object.entries(details).filter(([, value]) => value !== '' && value !== undefined));
}
