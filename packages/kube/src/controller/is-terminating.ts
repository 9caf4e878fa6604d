import { StatusError } from '../transport/status.js';

/** Whether a write was refused because its namespace is going away: nothing to be done about it, nor worth telling. */
export function isNamespaceTerminating(error: unknown): boolean {
  if (!(error instanceof StatusError)) return false;
  const { reason, details } = error.status;
  if (reason === 'NotFound') return details?.kind === 'namespaces';
  return details?.causes?.some((cause) => cause.reason === 'NamespaceTerminating') ?? false;
}
