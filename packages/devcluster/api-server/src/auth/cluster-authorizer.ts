import { type Access, type Authorizer, type Decision, masters } from '@slipway/api-machinery/identity/access';
import type { User } from '@slipway/api-machinery/identity/user';
import type { AdmissionReader } from '../attributes/admission.js';
import { nodeRules } from './bootstrap/declared-roles.js';
import { nodeAuthorizer } from './node/node-authorizer.js';
import { rbacAuthorizer } from './rbac/rbac-authorizer.js';
import type { RolePolicy } from './rbac/role-policy.js';

/** An authorizer, as `--authorization-mode` of a kube-apiserver names it. */
export type AuthorizationMode = 'Node' | 'RBAC' | 'AlwaysAllow';

/**
 * Asks the authorizers of a cluster one after the other: members of `system:masters` may do
 * everything, all users may read health and version, kubelets may access the objects of their
 * node, and roles permit the rest. The first that allows decides; a denial has the reasons of all.
 * @param minor 37 of 1.37
 */
export function clusterAuthorizer(
  store: AdmissionReader,
  policy: Pick<RolePolicy, 'grantsOf'>,
  minor: number,
  modes: readonly AuthorizationMode[] = ['Node', 'RBAC'],
): Authorizer {
  const of = {
    Node: () => nodeAuthorizer(store, nodeRules(minor)),
    RBAC: () => rbacAuthorizer(policy),
    AlwaysAllow: () => allowAll,
  };
  const asked = modes.map((mode) => of[mode]());
  return {
    authorize(user: User, access: Access): Decision {
      if (user.groups.includes(masters) || isPublic(access)) return { allowed: true, reason: '' };
      const reasons: string[] = [];
      for (const authorizer of asked) {
        const decision = authorizer.authorize(user, access);
        if (decision.allowed) return decision;
        if (decision.reason !== '') reasons.push(decision.reason);
      }
      return { allowed: false, reason: reasons.join('\n') };
    },
    rulesFor(user, namespace) {
      const all = asked.map((authorizer) => authorizer.rulesFor(user, namespace));
      return {
        rules: all.flatMap(({ rules }) => rules),
        problems: all.flatMap(({ problems }) => problems),
        incomplete: all.some(({ incomplete }) => incomplete),
      };
    },
  };
}

/** Health and version need no role: they are asked for before there are any. */
function isPublic(access: Access): boolean {
  return (
    access.kind === 'path' &&
    access.verb === 'get' &&
    /^\/(?:(?:healthz|livez|readyz)(?:\/.*)?|version)$/.test(access.path)
  );
}

const everything = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] };
const allowAll: Authorizer = {
  authorize: () => ({ allowed: true, reason: '' }),
  rulesFor: () => ({ rules: [everything, { verbs: ['*'], nonResourceURLs: ['*'] }], problems: [], incomplete: false }),
};
