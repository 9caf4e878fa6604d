import type { Authorizer } from '@slipway/api-machinery/identity/access';
import type { User } from '@slipway/api-machinery/identity/user';
import type { KubeObject } from '@slipway/kube';

/** Answers a review: returns the object that was sent with its status filled in. */
export type AnswerReview = (question: KubeObject, inquiry: Inquiry) => KubeObject | Promise<KubeObject>;

/** What answering a review needs. */
export interface Inquiry {
  /** The caller. */
  readonly user: User;
  readonly authorizer: Authorizer;
  /**
   * Checks a bearer token, for these audiences or for this server.
   * @throws TokenError
   */
  readonly checkToken: (token: string, audiences?: readonly string[]) => CheckedToken | Promise<CheckedToken>;
  /** Now, in milliseconds since the epoch. */
  readonly nowMs: number;
}

/** The result of checking a token: its user, and the audiences for which it is valid. */
export interface CheckedToken {
  readonly user: User;
  readonly audiences: readonly string[];
}

/** What is said of a token that is none of ours. */
export const invalidToken = 'invalid bearer token';

/** A bearer token that is not believed. */
export class TokenError extends Error {
  override readonly name = 'TokenError';
}
