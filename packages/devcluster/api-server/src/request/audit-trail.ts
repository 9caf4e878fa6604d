import type { User } from '@slipway/api-machinery/identity/user';

/** Collects facts about one request for the audit log. */
export interface AuditTrail {
  readonly id: string;
  /** Adds an annotation. The first value of a key stays. */
  annotate(key: string, value: string): void;
  /** Records the authenticated user, undefined for none, and the user that the server acts for. */
  admitted(user: User | undefined, actingAs: User): void;
}
