import type { Access, Authorizer } from '@slipway/api-machinery/identity/access';
import type { User } from '@slipway/api-machinery/identity/user';
import { accessForbidden } from '../request/forbidden.js';
import { accountOf, impersonated, userOf, type Wanted } from './impersonate.js';

type Mode = 'arbitrary-node' | 'serviceaccount' | 'user-info';

const group = 'authentication.k8s.io';
const nodePrefix = 'system:node:';

/**
 * Lets `user` be taken for another for this one access (KEP-5284): verb `impersonate:MODE`
 * on every part of the other, and `impersonate-on:MODE:VERB` on what is to be done. Who may
 * impersonate the other for anything at all may do so, too.
 *
 * @throws StatusError Forbidden.
 */
export function impersonatedFor(authorizer: Authorizer, user: User, wanted: Wanted, access: Access): User {
  const missing = missingAccess(authorizer, user, wanted, access);
  if (!missing) return userOf(wanted);
  try {
    return impersonated(authorizer, user, wanted);
  } catch (error) {
    throw missing === 'no mode' ? error : accessForbidden(user, missing, '');
  }
}

/** The first permission that is missing to impersonate in the narrow way, if it is a way at all. */
function missingAccess(
  authorizer: Authorizer,
  user: User,
  wanted: Wanted,
  access: Access,
): Access | 'no mode' | undefined {
  const mode = modeOf(wanted);
  if (!mode) return 'no mode';
  const needed = [{ ...access, verb: `impersonate-on:${mode}:${access.verb}` }, ...identity(mode, wanted)];
  return needed.find((one) => !authorizer.authorize(user, one).allowed);
}

/** Service accounts and nodes are what their names make them: nothing else may be said of them. */
function modeOf({ name, uid, groups, extra }: Wanted): Mode | undefined {
  const isBare = uid === '' && groups.length === 0 && Object.keys(extra).length === 0;
  if (accountOf(name)) return isBare ? 'serviceaccount' : undefined;
  if (name.startsWith(nodePrefix)) return isBare ? 'arbitrary-node' : undefined;
  return 'user-info';
}

function identity(mode: Mode, { name, uid, groups, extra }: Wanted): Access[] {
  const part = (resource: string, named: { name: string; namespace?: string }, subresource = ''): Access => ({
    kind: 'resource',
    verb: `impersonate:${mode}`,
    group,
    version: 'v1',
    resource,
    subresource,
    namespace: '',
    ...named,
  });
  if (mode === 'serviceaccount') return [part('serviceaccounts', accountOf(name) ?? { name })];
  if (mode === 'arbitrary-node') return [part('nodes', { name: name.slice(nodePrefix.length) })];
  return [
    part('users', { name }),
    ...(uid === '' ? [] : [part('uids', { name: uid })]),
    ...groups.map((one) => part('groups', { name: one })),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.map((value) => part('userextras', { name: value }, key)),
    ),
  ];
}
