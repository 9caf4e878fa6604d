import type { KubeObject } from '@slipway/kube';
import type { Authorizer } from '../../api-machinery/identity/access.js';
import type { User } from '../request/request.js';
import type { CheckedToken } from './tokens/service-account-tokens.js';

/** Answers a question: the object that was sent, with its status filled in. */
export type Answer = (question: KubeObject, inquiry: Inquiry) => KubeObject | Promise<KubeObject>;

/** What questions are answered by. */
export interface Inquiry {
  /** Who asks. */
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

/** `UserInfo` of authentication.k8s.io/v1. */
export function userInfo({ name, uid, groups, extra }: User) {
  return {
    username: name,
    ...(uid ? { uid } : {}),
    ...(groups.length > 0 ? { groups } : {}),
    ...(extra && Object.keys(extra).length > 0 ? { extra } : {}),
  };
}
