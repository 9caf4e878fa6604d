import { pathSegmentProblems } from '@slipway/api-machinery/errors/names';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import { bindingColumns, defaultBinding, validateBinding, validateRoleRefKept } from './role-binding-fields.js';
import { rbacGroup } from './role-rules.js';

export const roleBindings = defineResource({
  group: rbacGroup,
  version: 'v1',
  kind: 'RoleBinding',
  plural: 'rolebindings',
  namespaced: true,
  createdByPut: true,
  hasNoUnsafeDelete: true,
  message: 'rbac.v1.RoleBinding',
  nameProblems: pathSegmentProblems,
  defaults: defaultBinding,
  validate: (binding) => validateBinding(binding, 'namespace'),
  validateUpdate: validateRoleRefKept,
  columns: bindingColumns,
});
