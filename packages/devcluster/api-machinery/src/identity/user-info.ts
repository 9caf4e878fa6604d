import type { User } from './user.js';

/** `UserInfo` of authentication.k8s.io/v1. */
export function userInfo({ name, uid, groups, extra }: User) {
  return {
    username: name,
    ...(uid ? { uid } : {}),
    ...(groups.length > 0 ? { groups } : {}),
    ...(extra && Object.keys(extra).length > 0 ? { extra } : {}),
  };
}
