import type { StatusError } from '@slipway/kube';
import { badRequest } from '../errors/status-errors.js';

/** 400: a body of the right kind with content that does not fit the kind. */
export function cannotBeHandled(kind: string, version: string, why: string, cause?: Error): StatusError {
  const error = badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${why}`);
  error.cause = cause;
  return error;
}
