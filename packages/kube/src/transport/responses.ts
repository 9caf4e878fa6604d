import { failureStatus, type Status, StatusError } from './status.js';
import type { KubeResponse } from './transport.js';

/** No answer came: the server cannot be reached, or the connection broke. `cause` is the error of the network. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
}

/** The body of an answer that says yes. @throws StatusError for any other. */
export function bodyOf(response: KubeResponse): unknown {
  if (response.status >= 200 && response.status < 300) return response.body;
  throw statusErrorOf(response);
}

/** The error an answer stands for. Proxies in front of a server answer without a `Status`; one is made up for them. */
export function statusErrorOf({ status: code, body, headers }: KubeResponse): StatusError {
  if (isStatus(body)) return new StatusError({ ...body, code: body.code ?? code });
  const retryAfterSeconds = Number.parseInt(headers['retry-after'] ?? '', 10);
  const text = typeof body === 'string' ? body.trim().slice(0, 300) : '';
  const reason = reasons[code] ?? 'Unknown';
  const message = text || `the server answered with HTTP status ${code}`;
  const details = Number.isNaN(retryAfterSeconds) ? {} : { details: { retryAfterSeconds } };
  return new StatusError(failureStatus({ code, reason, message, ...details }));
}

/** Whether a JSON value is a `Status` of meta/v1. */
export function isStatus(body: unknown): body is Status {
  return typeof body === 'object' && body !== null && (body as { kind?: unknown }).kind === 'Status';
}

/** Whether the revision asked for is gone from the server's history: list anew. */
export function isExpired(error: unknown): boolean {
  return error instanceof StatusError && (error.code === 410 || error.reason === 'Expired' || error.reason === 'Gone');
}

const reasons: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  409: 'Conflict',
  410: 'Gone',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};
