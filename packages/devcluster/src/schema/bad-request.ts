import { StatusError } from '@slipway/kube';

/** A 400 whose body is what clients print: the request could not be understood. */
export function badRequest(message: string, options?: ErrorOptions): StatusError {
  return new StatusError(
    { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason: 'BadRequest', code: 400 },
    options,
  );
}

/** A body of the right kind with content that does not fit the kind. */
export function cannotBeHandled(kind: string, version: string, why: string): StatusError {
  return badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${why}`);
}
