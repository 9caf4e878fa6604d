import { forbidden, notFound } from '@slipway/api-machinery/errors/status-errors';
import { type Authorizer, masters, type PolicyRule } from '@slipway/api-machinery/identity/access';
import type { User } from '@slipway/api-machinery/identity/user';
import { equalJson } from '@slipway/api-machinery/json/json-value';
import type { KubeObject } from '@slipway/kube';
import type { AdmissionHook, AdmissionRequest } from '../../attributes/admission.js';
import { bindingOf, type RoleRef } from '../../auth/rbac/bindings.js';
import { compactRules, listText, missingRights, ruleText } from '../../auth/rbac/covers.js';
import type { RolePolicy } from '../../auth/rbac/role-policy.js';

const group = 'rbac.authorization.k8s.io';
const everything: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/**
 * Prevents granting permissions that the user lacks: writing a role requires every
 * permission in it, or the verb `escalate` on it; binding one requires every permission
 * of the role, or the verb `bind` on it.
 *
 * @throws StatusError Forbidden, or NotFound when a bound role does not exist.
 */
export function requireNoEscalation(authorizer: Authorizer, policy: Pick<RolePolicy, 'rulesOf'>): AdmissionHook {
  return (request) => {
    const { resource, user, object, old } = request;
    if (resource.group !== group || user.groups.includes(masters)) return;
    if (old && onlyLetsGo(object, old)) return;
    if (resource.plural.endsWith('roles')) requireHeldRights(authorizer, request);
    else requireBindPermission(authorizer, policy, request);
  };
}

function requireHeldRights(authorizer: Authorizer, request: AdmissionRequest): void {
  const { resource, user, object, old } = request;
  const { name = '', namespace = '' } = object.metadata;
  if (may(authorizer, user, 'escalate', resource.plural, namespace, name)) return;
  // A rule without verbs permits nothing, and validation will say so.
  const rules = ((object.rules ?? []) as readonly PolicyRule[]).filter(({ verbs }) => verbs);
  requireRights(authorizer, request, namespace, rules);
  if (!isAggregated(object) && !(old && isAggregated(old))) return;
  if (missingRights(authorizer.rulesFor(user, '').rules, everything).length === 0) return;
  throw forbidden(resource, name, 'must have cluster-admin privileges to use the aggregationRule');
}

function requireBindPermission(
  authorizer: Authorizer,
  policy: Pick<RolePolicy, 'rulesOf'>,
  request: AdmissionRequest,
): void {
  const { roleRef, namespace } = bindingOf(request.object);
  const plural = roleRef.kind === 'ClusterRole' ? 'clusterroles' : 'roles';
  if (may(authorizer, request.user, 'bind', plural, namespace, roleRef.name)) return;
  const rules = policy.rulesOf(roleRef as RoleRef, namespace);
  if (!rules) throw notFound({ group, plural }, roleRef.name);
  requireRights(authorizer, request, namespace, rules);
}

function requireRights(
  authorizer: Authorizer,
  { resource, user, object }: AdmissionRequest,
  namespace: string,
  rules: readonly PolicyRule[],
): void {
  const { rules: held, problems } = authorizer.rulesFor(user, namespace);
  const missing = missingRights(held, rules);
  if (missing.length === 0) return;
  const lines = [...new Set(compactRules(missing).map(ruleText))].sort();
  const who = `user ${JSON.stringify(user.name)} (groups=${listText(user.groups)})`;
  const also = problems.length === 0 ? '' : `; resolution errors: [${problems.join(' ')}]`;
  const why = `${who} is attempting to grant RBAC permissions not currently held:\n${lines.join('\n')}${also}`;
  throw forbidden(resource, object.metadata.name ?? '', why);
}

function may(authorizer: Authorizer, user: User, verb: string, resource: string, namespace: string, name: string) {
  const access = { kind: 'resource', verb, group, version: 'v1', resource, subresource: '', namespace, name } as const;
  return authorizer.authorize(user, access).allowed;
}

function isAggregated({ aggregationRule }: KubeObject): boolean {
  return (aggregationRule?.clusterRoleSelectors?.length ?? 0) > 0;
}

/** Whoever only takes owners and finalizers off an object gives nothing: the garbage collector may always do that. */
function onlyLetsGo(object: KubeObject, old: KubeObject): boolean {
  const rest = ({ metadata, ...content }: KubeObject) => {
    const {
      ownerReferences: _,
      finalizers: __,
      resourceVersion: ___,
      managedFields: ____,
      ...meta
    } = metadata as Record<string, unknown>;
    return { ...content, metadata: meta };
  };
  return equalJson(rest(object), rest(old)) && !equalJson(object.metadata, old.metadata);
}
