import { authenticated } from './access.js';
import type { User } from './user.js';

/** The name of a service account as a user. */
export function accountUserName(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

/** The groups every service account of a namespace is in. */
export function accountGroups(namespace: string): readonly string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
}

/** A service account as a user, as far as its name goes. */
export function accountUser(namespace: string, name: string): User {
  return { name: accountUserName(namespace, name), groups: [...accountGroups(namespace), authenticated] };
}
