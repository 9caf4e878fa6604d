import { failureStatus, StatusError } from '../transport/status.js';
import type { RequestPath } from './request-path.js';

/** The body of an answer to a delete. */
export const success = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' };

/** The error for a request the API refuses. */
export function refusal(code: number, reason: string, at: RequestPath | undefined, message: string): StatusError {
  const details = at ? { details: { ...(at.name ? { name: at.name } : {}), group: at.group, kind: at.plural } } : {};
  return new StatusError(failureStatus({ message, reason, code, ...details }));
}
