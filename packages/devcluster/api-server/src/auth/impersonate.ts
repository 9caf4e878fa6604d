import { badRequest } from '@slipway/api-machinery/errors/status-errors';
import {
  type Access,
  type Authorizer,
  anonymous,
  authenticated,
  unauthenticated,
} from '@slipway/api-machinery/identity/access';
import { accountGroups } from '@slipway/api-machinery/identity/service-account';
import type { User } from '@slipway/api-machinery/identity/user';
import { accessForbidden } from '../request/forbidden.js';
import type { ApiRequest } from '../request/request.js';

const userHeader = 'impersonate-user';
const groupHeader = 'impersonate-group';
const uidHeader = 'impersonate-uid';
const extraPrefix = 'impersonate-extra-';

/** Who a client asks to be taken for, as far as it said. */
export interface Wanted {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/**
 * Reads the requested user from the `Impersonate-*` headers; undefined without such headers.
 *
 * @throws StatusError BadRequest when the header with the name is missing.
 */
export function wantedUser(request: ApiRequest): Wanted | undefined {
  const names = Object.keys(request.headers).filter((name) => name.startsWith('impersonate-'));
  if (names.length === 0) return undefined;
  const values = (name: string): readonly string[] =>
    request.allHeaders?.()[name] ?? (request.headers[name] === undefined ? [] : [request.headers[name]]);
  // Without a prototype: a key may be called `__proto__` or `constructor`.
  const extra: Record<string, readonly string[]> = Object.create(null);
  for (const name of names.filter((one) => one.startsWith(extraPrefix))) {
    const key = unescaped(name.slice(extraPrefix.length));
    extra[key] = [...(extra[key] ?? []), ...values(name)];
  }
  const wanted = {
    name: values(userHeader)[0] ?? '',
    uid: values(uidHeader)[0] ?? '',
    groups: values(groupHeader),
    extra,
  };
  if (wanted.name !== '') return wanted;
  if (wanted.uid === '' && wanted.groups.length === 0 && Object.keys(extra).length === 0) return undefined;
  throw badRequest(`requested ${goUser(wanted)} without impersonating a user name`);
}

/**
 * Lets `user` be taken for another if every part of the other may be
 * impersonated: verb `impersonate` on users, groups, service accounts, uids and extras.
 *
 * @throws StatusError Forbidden for the first part that may not.
 */
export function impersonated(authorizer: Authorizer, user: User, wanted: Wanted): User {
  for (const access of neededAccess(wanted)) {
    const { allowed, reason } = authorizer.authorize(user, access);
    if (!allowed) throw accessForbidden(user, access, reason);
  }
  return userOf(wanted);
}

/** Yields every permission that impersonating a user takes. */
function neededAccess({ name, uid, groups, extra }: Wanted): Access[] {
  const account = accountOf(name);
  const access = (resource: string, what: { name: string; namespace?: string; subresource?: string; group?: string }) =>
    ({
      kind: 'resource',
      verb: 'impersonate',
      group: '',
      version: 'v1',
      resource,
      subresource: '',
      namespace: '',
      ...what,
    }) as const;
  const group = 'authentication.k8s.io';
  return [
    account ? access('serviceaccounts', account) : access('users', { name }),
    ...(uid === '' ? [] : [access('uids', { group, name: uid })]),
    ...groups.map((one) => access('groups', { name: one })),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.map((value) => access('userextras', { group, name: value, subresource: key })),
    ),
  ];
}

/** Returns the impersonated user; what the headers leave out follows from the name. */
export function userOf({ name, uid, groups, extra }: Wanted): User {
  const account = accountOf(name);
  const stated = groups.length === 0 && account ? accountGroups(account.namespace) : groups;
  return {
    name,
    ...(uid === '' ? {} : { uid }),
    groups: withStanding(name, stated),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

/** Everybody is either known or not; who says neither is what the name implies. */
function withStanding(name: string, groups: readonly string[]): readonly string[] {
  if (name === anonymous.name) return groups.includes(unauthenticated) ? groups : [...groups, unauthenticated];
  const says = groups.includes(authenticated) || groups.includes(unauthenticated);
  return says ? groups : [...groups, authenticated];
}

/** The service account that a user is, if its name says so. */
export function accountOf(user: string): { namespace: string; name: string } | undefined {
  const match = /^system:serviceaccount:([a-z0-9-]+):([a-z0-9.-]+)$/.exec(user);
  return match ? { namespace: match[1] ?? '', name: match[2] ?? '' } : undefined;
}

/** Keys may hold what headers may not, escaped as in URLs; a malformed escape is meant as it is. */
function unescaped(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

/** A user as Go prints one with `%#v`. */
function goUser({ uid, groups, extra }: Wanted): string {
  const text = (value: string) => JSON.stringify(value);
  const list = (values: readonly string[]) => `[]string{${values.map(text).join(', ')}}`;
  const keys = Object.keys(extra).sort();
  const map = `map[string][]string${keys.length === 0 ? '(nil)' : `{${keys.map((key) => `${text(key)}:${list(extra[key] ?? [])}`).join(', ')}}`}`;
  const shownGroups = groups.length === 0 ? '[]string(nil)' : list(groups);
  return `&user.DefaultInfo{Name:"", UID:${text(uid)}, Groups:${shownGroups}, Extra:${map}}`;
}
