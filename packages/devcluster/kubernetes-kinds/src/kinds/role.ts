import { pathSegmentProblems } from '@slipway/api-machinery/errors/names';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import type { Column } from '@slipway/api-server/registry/resource-definition';
import { rbacGroup, requireVerbs, validateRules } from './role-rules.js';

/** CREATED AT, where an age would say less: roles are made once. */
export const createdColumn: Column = {
  name: 'Created At',
  type: 'date',
  description: 'When the object was created.',
  priority: 0,
  cell: ({ metadata }) => metadata.creationTimestamp ?? null,
};

export const roles = defineResource({
  group: rbacGroup,
  version: 'v1',
  kind: 'Role',
  plural: 'roles',
  namespaced: true,
  createdByPut: true,
  hasNoUnsafeDelete: true,
  message: 'rbac.v1.Role',
  nameProblems: pathSegmentProblems,
  validate: (role) => [...validateRules(role, 'namespace'), ...requireVerbs(role)],
  columns: [createdColumn],
});
