import type { Access, Authorizer, Decision, PolicyRule } from '@slipway/api-machinery/identity/access';
import type { User } from '@slipway/api-machinery/identity/user';
import { type Binding, isSubject, type RoleRef, type Subject } from './bindings.js';
import type { Grant, RolePolicy } from './role-policy.js';
import { ruleAllows } from './rule-allows.js';

/** Decides by roles and bindings: what no rule permits is refused. */
export function rbacAuthorizer(policy: Pick<RolePolicy, 'grantsOf'>): Authorizer {
  return {
    authorize(user, access): Decision {
      const namespace = access.kind === 'resource' ? access.namespace : '';
      const problems: string[] = [];
      for (const { binding, rules } of policy.grantsOf(user, namespace)) {
        if (!rules) problems.push(missingRole(binding.roleRef));
        else if (permits(rules, access)) return { allowed: true, reason: whyAllowed(binding, user) };
      }
      return { allowed: false, reason: problems.length === 0 ? '' : `RBAC: ${aggregate(problems)}` };
    },
    rulesFor(user, namespace) {
      const grants = new Map<Binding, Grant>();
      for (const grant of policy.grantsOf(user, namespace)) grants.set(grant.binding, grant);
      const rules: PolicyRule[] = [];
      const problems: string[] = [];
      for (const { binding, rules: given } of grants.values()) {
        if (given) rules.push(...given);
        else problems.push(missingRole(binding.roleRef));
      }
      return { rules, problems, incomplete: problems.length > 0 };
    },
  };
}

function permits(rules: readonly PolicyRule[], access: Access): boolean {
  for (const rule of rules) if (ruleAllows(rule, access)) return true;
  return false;
}

function whyAllowed(binding: Binding, user: User): string {
  const { name, namespace, roleRef, subjects } = binding;
  const [kind, full] = namespace === '' ? ['ClusterRoleBinding', name] : ['RoleBinding', `${name}/${namespace}`];
  const subject = subjects.find((one) => isSubject(one, namespace, user));
  const to = subject ? describeSubject(subject, namespace) : '';
  return `RBAC: allowed by ${kind} ${JSON.stringify(full)} of ${roleRef.kind} ${JSON.stringify(roleRef.name)} to ${to}`;
}

function describeSubject({ kind, name, namespace }: Subject, bindingNamespace: string): string {
  const full = kind === 'ServiceAccount' ? `${name}/${namespace || bindingNamespace}` : name;
  return `${kind} ${JSON.stringify(full)}`;
}

/** A binding may name a role that is gone, or not there yet. */
function missingRole({ kind, name }: RoleRef): string {
  return `${kind.toLowerCase()}.rbac.authorization.k8s.io ${JSON.stringify(name)} not found`;
}

/** Several errors as Go prints them: each once, in brackets when there are more than one. */
export function aggregate(problems: readonly string[]): string {
  const once = [...new Set(problems)];
  return once.length === 1 ? (once[0] ?? '') : `[${once.join(', ')}]`;
}
