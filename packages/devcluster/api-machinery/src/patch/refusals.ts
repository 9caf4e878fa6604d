import { StatusError } from '@slipway/kube';
import { badRequest, statusError, tooLarge } from '../errors/status-errors.js';

/** The patch itself is malformed: 400. */
export const malformed: (message: string) => StatusError = badRequest;

/** The patch asks for more than one request may: 413. */
export const tooMuch: (message: string) => StatusError = tooLarge;

/**
 * A well-formed patch does not apply to this object: 422. Kubernetes says no more
 * than this, whatever the reason; ours travels as the error's cause.
 */
export function doesNotApply(why: string | Error): StatusError {
  const { status } = statusError(422, 'Invalid', 'the server rejected our request due to an error in our request', {});
  return new StatusError(status, { cause: typeof why === 'string' ? new Error(why) : why });
}

/** A `test` of a JSON patch found something else than it wanted. */
export class FailedTestError extends Error {
  override readonly name = 'FailedTestError';
}

/** Kubernetes answers some malformed strategic patches with a bare 500 and this text. */
export function unexplained(message: string): StatusError {
  return statusError(500, undefined, message);
}
