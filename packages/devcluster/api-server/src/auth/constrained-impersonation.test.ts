import type { Authorizer } from '@slipway/api-machinery/identity/access';
import { expect, test } from 'vitest';
import { impersonatedFor } from './constrained-impersonation.js';
import type { Wanted } from './impersonate.js';
import { aUser, listingPods } from './testing/ask-as.js';

/** Permits what is listed: `VERB RESOURCE`. */
function permitting(...permitted: string[]): Authorizer {
  return {
    authorize: (_user, access) => {
      const what = access.kind === 'path' ? access.path : access.resource;
      return { allowed: permitted.includes(`${access.verb} ${what}`), reason: '' };
    },
    rulesFor: () => ({ rules: [], problems: [], incomplete: false }),
  };
}

const jane: Wanted = { name: 'jane', uid: '', groups: [], extra: {} };
const account: Wanted = { ...jane, name: 'system:serviceaccount:ns:sa' };
const node: Wanted = { ...jane, name: 'system:node:n1' };

// who is wanted | what is permitted | what the refusal says is missing, '' = allowed
const cases: [string, Wanted, string[], string][] = [
  ['a user, for this', jane, ['impersonate:user-info users', 'impersonate-on:user-info:list pods'], ''],
  [
    'a user, for something else',
    jane,
    ['impersonate:user-info users', 'impersonate-on:user-info:get pods'],
    'cannot impersonate-on:user-info:list resource "pods"',
  ],
  [
    'another user, for this',
    jane,
    ['impersonate-on:user-info:list pods'],
    'cannot impersonate:user-info resource "users" in API group "authentication.k8s.io"',
  ],
  [
    'a user in a group',
    { ...jane, groups: ['g'] },
    ['impersonate:user-info users', 'impersonate-on:user-info:list pods'],
    'cannot impersonate:user-info resource "groups"',
  ],
  ['a user, for anything', jane, ['impersonate users'], ''],
  [
    'a service account',
    account,
    ['impersonate:serviceaccount serviceaccounts', 'impersonate-on:serviceaccount:list pods'],
    '',
  ],
  [
    'a service account in another group',
    { ...account, groups: ['g'] },
    ['impersonate:serviceaccount serviceaccounts', 'impersonate-on:serviceaccount:list pods'],
    'cannot impersonate resource "serviceaccounts"',
  ],
  ['a node', node, ['impersonate:arbitrary-node nodes', 'impersonate-on:arbitrary-node:list pods'], ''],
  [
    'a node, as a user',
    node,
    ['impersonate:user-info users', 'impersonate-on:user-info:list pods'],
    'cannot impersonate-on:arbitrary-node:list',
  ],
];

test.each(cases)('who may impersonate so much asks to be taken for %s', (_what, wanted, permitted, missing) => {
  const ask = () => impersonatedFor(permitting(...permitted), aUser('root'), wanted, listingPods());
  if (missing === '') expect(ask().name).toBe(wanted.name);
  else expect(ask).toThrow(missing);
});
