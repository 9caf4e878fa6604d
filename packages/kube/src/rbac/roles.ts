import type { KubeObject } from '../transport/objects.js';

/** One rule of a role: verbs on resources, or on paths beside them. */
export interface PolicyRule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly verbs: readonly string[];
}

/** A role with its rules. */
export type Role = KubeObject & { readonly rules: readonly PolicyRule[] };

/** Who is given a role. */
export type RoleSubject =
  | { readonly kind: 'ServiceAccount'; readonly name: string; readonly namespace: string }
  | { readonly kind: 'User' | 'Group'; readonly name: string };

const rbacGroup = 'rbac.authorization.k8s.io';

/** A rule about resources of one API group, '' for the core group. */
export function policyRule(apiGroup: string, resources: readonly string[], verbs: readonly string[]): PolicyRule {
  return { apiGroups: [apiGroup], resources, verbs };
}

/** A ClusterRole or, with a namespace, a Role. */
export function role(name: string, rules: readonly PolicyRule[], namespace?: string): Role {
  return {
    apiVersion: `${rbacGroup}/v1`,
    kind: namespace === undefined ? 'ClusterRole' : 'Role',
    metadata: { name, ...(namespace !== undefined && { namespace }) },
    rules,
  };
}

/** Grants a role to a subject: where it holds, or a ClusterRole in one namespace only. */
export function roleBinding(
  { kind, metadata: { name = '', namespace } }: KubeObject,
  subject: RoleSubject,
  onlyIn: string | undefined = namespace,
): KubeObject {
  return {
    apiVersion: `${rbacGroup}/v1`,
    kind: onlyIn === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
    metadata: { name, ...(onlyIn !== undefined && { namespace: onlyIn }) },
    roleRef: { apiGroup: rbacGroup, kind, name },
    subjects: [subject.kind === 'ServiceAccount' ? { ...subject } : { apiGroup: rbacGroup, ...subject }],
  };
}
