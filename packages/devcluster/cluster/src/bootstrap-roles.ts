import type { PolicyRule } from '@slipway/api-machinery/identity/access';
import { componentBindings, componentRoles } from '@slipway/api-server/auth/bootstrap/component-roles';
import { controllerBindings, controllerRoles } from '@slipway/api-server/auth/bootstrap/controller-roles';
import { namespacedRoles, otherBindings, otherRoles } from '@slipway/api-server/auth/bootstrap/other-roles';
import type { DeclaredBinding, DeclaredRole } from '@slipway/api-server/auth/bootstrap/role-text';
import { userBindings, userRoles } from '@slipway/api-server/auth/bootstrap/user-roles';
import { missingRights } from '@slipway/api-server/auth/rbac/covers';
import type { Kube, KubeObject, ResourceRef } from '@slipway/kube';
import { clusterRoleBindings, clusterRoles } from '@slipway/kube-objects/kinds/api/roles';
import { type Change, objectEnsurer } from './ensure-objects.js';

const group = 'rbac.authorization.k8s.io';
const autoupdate = 'rbac.authorization.kubernetes.io/autoupdate';

/**
 * Makes the roles that every cluster has, and gives them to whom they are for. A
 * role that is there gets the permissions it lacks, unless it is marked to be left
 * alone: components may have learnt to do more since it was made.
 */
export async function bootstrapRoles(kube: Kube): Promise<void> {
  const roles = [...userRoles, ...componentRoles, ...controllerRoles];
  const bindings = [...userBindings, ...componentBindings, ...controllerBindings];
  const ensure = objectEnsurer(kube);
  await Promise.all([
    ...roles.map((role) => ensure(clusterRoles, ...kept(roleObject(role), missingRules))),
    ...bindings.map((binding) => ensure(clusterRoleBindings, ...kept(bindingObject(binding), missingSubjects))),
  ]);
}

/** The same for roles that no component needs; the start does not wait for them. */
export async function bootstrapOtherRoles(kube: Kube): Promise<void> {
  const ensure = objectEnsurer(kube);
  for (const role of otherRoles) await ensure(clusterRoles, ...kept(roleObject(role), missingRules));
  for (const binding of otherBindings) {
    await ensure(clusterRoleBindings, ...kept(bindingObject(binding), missingSubjects));
  }
  for (const { namespace, name, rules, binding = name, ...whose } of namespacedRoles) {
    const metadata = { ...metadataOf(name), namespace };
    const role = { apiVersion: `${group}/v1`, kind: 'Role', metadata, rules };
    await ensure(rolesInNamespaces, ...kept(role, missingRules));
    const bound = { ...bindingObject({ role: name, ...whose }), kind: 'RoleBinding' };
    const roleRef = { apiGroup: group, kind: 'Role', name };
    const own = { ...bound, metadata: { ...metadataOf(binding), namespace }, roleRef };
    await ensure(bindingsInNamespaces, ...kept(own, missingSubjects));
  }
}

const [rolesInNamespaces, bindingsInNamespaces] = [namespaced('Role'), namespaced('RoleBinding')];

function namespaced(kind: 'Role' | 'RoleBinding'): ResourceRef {
  return { group, version: 'v1', kind, plural: `${kind.toLowerCase()}s`, namespaced: true };
}

function roleObject({ name, rules, aggregates, labels }: DeclaredRole): KubeObject {
  const aggregated =
    aggregates === undefined
      ? {}
      : { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [aggregates]: 'true' } }] } };
  return { apiVersion: `${group}/v1`, kind: 'ClusterRole', metadata: metadataOf(name, labels), rules, ...aggregated };
}

function bindingObject({ role, users = [], groups = [], accounts = [] }: DeclaredBinding): KubeObject {
  const subjects = [
    ...users.map((name) => ({ kind: 'User', apiGroup: group, name })),
    ...groups.map((name) => ({ kind: 'Group', apiGroup: group, name })),
    ...accounts.map((name) => ({ kind: 'ServiceAccount', name, namespace: 'kube-system' })),
  ];
  const roleRef = { apiGroup: group, kind: 'ClusterRole', name: role };
  return { apiVersion: `${group}/v1`, kind: 'ClusterRoleBinding', metadata: metadataOf(role), subjects, roleRef };
}

function metadataOf(name: string, labels: Readonly<Record<string, string>> = {}) {
  return {
    name,
    labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults', ...labels },
    annotations: { [autoupdate]: 'true' },
  };
}

/** What an object lacks of what was declared, as the fields it must get; undefined when it lacks nothing. */
type Lacks = (there: KubeObject, declared: KubeObject) => Record<string, unknown> | undefined;

const missingRules: Lacks = (there, declared) => {
  const has: readonly PolicyRule[] = there.rules ?? [];
  const lacking = declared.rules.filter((rule: PolicyRule) => missingRights(has, [rule]).length > 0);
  return lacking.length === 0 ? undefined : { rules: [...has, ...lacking] };
};

const missingSubjects: Lacks = (there, declared) => {
  const key = ({ kind, name, namespace = '' }: { kind: string; name: string; namespace?: string }) =>
    `${kind}/${namespace}/${name}`;
  const has = new Set((there.subjects ?? []).map(key));
  const lacking = declared.subjects.filter((subject: { kind: string; name: string }) => !has.has(key(subject)));
  return lacking.length === 0 ? undefined : { subjects: [...(there.subjects ?? []), ...lacking] };
};

/** A declared object, and how one that is there gets what it lacks of it, unless it is marked to be left alone. */
function kept(declared: KubeObject, lacks: Lacks): readonly [KubeObject, Change] {
  const change = (there: KubeObject) => {
    const fields = there.metadata.annotations?.[autoupdate] === 'true' ? lacks(there, declared) : undefined;
    return fields && { ...there, ...fields };
  };
  return [declared, change];
}
