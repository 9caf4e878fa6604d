import { type FieldError, required } from '@slipway/api-machinery/errors/field-error';
import { pathSegmentProblems } from '@slipway/api-machinery/errors/names';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import type { KubeObject, LabelSelector } from '@slipway/kube';
import { createdColumn } from './role.js';
import { rbacGroup, requireVerbs, validateRules } from './role-rules.js';
import { validateLabelSelector } from './selector-validation.js';

export const clusterRoles = defineResource({
  group: rbacGroup,
  version: 'v1',
  kind: 'ClusterRole',
  plural: 'clusterroles',
  namespaced: false,
  createdByPut: true,
  hasNoUnsafeDelete: true,
  message: 'rbac.v1.ClusterRole',
  nameProblems: pathSegmentProblems,
  validate: (role) => [...validateRules(role, 'cluster'), ...validateAggregation(role), ...requireVerbs(role)],
  columns: [createdColumn],
});

function validateAggregation({ aggregationRule }: KubeObject): FieldError[] {
  if (!aggregationRule) return [];
  const field = 'aggregationRule.clusterRoleSelectors';
  const selectors: readonly LabelSelector[] = aggregationRule.clusterRoleSelectors ?? [];
  if (selectors.length === 0)
    return [required(field, 'at least one clusterRoleSelector required if aggregationRule is non-nil')];
  return selectors.flatMap((selector, index) => validateLabelSelector(selector, `${field}[${index}]`));
}
