import { type FieldError, invalid, required } from '@slipway/api-machinery/errors/field-error';
import { maxErrors } from '@slipway/api-machinery/errors/status-errors';
import type { PolicyRule } from '@slipway/api-machinery/identity/access';
import type { KubeObject } from '@slipway/kube';

export const rbacGroup = 'rbac.authorization.k8s.io';

/** Validates the rules of a Role or a ClusterRole; only a ClusterRole can name paths. */
export function validateRules({ rules }: KubeObject, scope: 'namespace' | 'cluster'): FieldError[] {
  const given: readonly PolicyRule[] = rules ?? [];
  const errors: FieldError[] = [];
  for (const [index, rule] of given.entries()) {
    errors.push(...validateRule(rule, `rules[${index}]`, scope));
    // More are not reported, so they need not be found.
    if (errors.length >= maxErrors) break;
  }
  return errors;
}

/** Reports the rules without a verb. Kubernetes finds these after all other errors of a role. */
export function requireVerbs({ rules }: KubeObject): FieldError[] {
  const given: readonly PolicyRule[] = rules ?? [];
  return given.flatMap(({ verbs }, index) => ((verbs ?? []).length === 0 ? [required(`rules[${index}].verbs`)] : []));
}

function validateRule(rule: PolicyRule, field: string, scope: 'namespace' | 'cluster'): FieldError[] {
  const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const errors: FieldError[] = [];
  if (nonResourceURLs.length > 0) {
    const refuse = (detail: string) => errors.push(invalid(`${field}.nonResourceURLs`, nonResourceURLs, detail));
    if (scope === 'namespace') refuse('namespaced rules cannot apply to non-resource URLs');
    if (apiGroups.length > 0 || resources.length > 0 || resourceNames.length > 0) {
      refuse('rules cannot apply to both regular resources and non-resource URLs');
    }
    return errors;
  }
  if (apiGroups.length === 0) {
    errors.push(required(`${field}.apiGroups`, 'resource rules must supply at least one api group'));
  }
  if (resources.length === 0) {
    errors.push(required(`${field}.resources`, 'resource rules must supply at least one resource'));
  }
  return errors;
}
