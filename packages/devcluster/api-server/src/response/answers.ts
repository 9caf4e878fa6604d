import { type Status, StatusError } from '@slipway/kube';
import type { ResourceDefinition } from '../registry/resource-definition.js';
import type { ApiAnswer, JsonPayload } from '../request/request.js';
import { valuePayload } from './payloads.js';

const json = 'application/json';
export const noCache = 'no-cache, private';

/** An answer in JSON. */
export function jsonAnswer(status: number, payload: JsonPayload, warnings?: readonly string[]): ApiAnswer {
  return {
    status,
    headers: { 'content-type': json, 'cache-control': noCache },
    payload: { kind: 'json', json: payload },
    ...(warnings && warnings.length > 0 ? { warnings } : {}),
  };
}

/** An answer in plain text. */
export function textAnswer(status: number, text: string, headers: Readonly<Record<string, string>> = {}): ApiAnswer {
  return {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': noCache, ...headers },
    payload: { kind: 'text', text },
  };
}

/** Returns the answer of a web server to an unknown path; custom groups answer so. */
export function pageNotFound(): ApiAnswer {
  return textAnswer(404, '404 page not found\n', { 'x-content-type-options': 'nosniff' });
}

/** A `Status`, with Retry-After when it names a delay. */
export function statusAnswer(status: Status, warnings?: readonly string[]): ApiAnswer {
  const answer = jsonAnswer(status.code ?? 500, valuePayload(status), warnings);
  const seconds = status.details?.retryAfterSeconds;
  return seconds === undefined ? answer : { ...answer, headers: { ...answer.headers, 'retry-after': String(seconds) } };
}

/**
 * Turns what a verb threw into an answer. Anything but a `StatusError` is a bug of this server: 500, without its
 * inside.
 */
export function errorAnswer(error: unknown): ApiAnswer {
  if (error instanceof StatusError) return statusAnswer(error.status);
  const status: Status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `Internal error occurred: ${error instanceof Error ? error.message : 'unknown'}`,
    reason: 'InternalError',
    code: 500,
  };
  return statusAnswer(status);
}

/** The `Status` of a deletion that is done. */
export function deletedStatus(definition: ResourceDefinition, name: string, uid: string): Status {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name, ...(definition.group === '' ? {} : { group: definition.group }), kind: definition.plural, uid },
  };
}
