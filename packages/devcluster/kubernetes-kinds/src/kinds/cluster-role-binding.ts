import { pathSegmentProblems } from '@slipway/api-machinery/errors/names';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import { bindingColumns, defaultBinding, validateBinding, validateRoleRefKept } from './role-binding-fields.js';
import { rbacGroup } from './role-rules.js';

export const clusterRoleBindings = defineResource({
  group: rbacGroup,
  version: 'v1',
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
  namespaced: false,
  createdByPut: true,
  hasNoUnsafeDelete: true,
  message: 'rbac.v1.ClusterRoleBinding',
  nameProblems: pathSegmentProblems,
  defaults: defaultBinding,
  validate: (binding) => validateBinding(binding, 'cluster'),
  validateUpdate: validateRoleRefKept,
  columns: bindingColumns,
});
