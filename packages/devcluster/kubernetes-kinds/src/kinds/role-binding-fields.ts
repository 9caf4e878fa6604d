import { invalidBecause, oneOf } from '@slipway/api-machinery/errors/field-checks';
import { type FieldError, invalid, notSupported, required } from '@slipway/api-machinery/errors/field-error';
import { pathSegmentProblems, subdomainProblems } from '@slipway/api-machinery/errors/names';
import { equalJson } from '@slipway/api-machinery/json/json-value';
import { ageColumn, textColumn, wideColumn } from '@slipway/api-server/registry/columns';
import type { Column } from '@slipway/api-server/registry/resource-definition';
import type { KubeObject } from '@slipway/kube';
import { rbacGroup } from './role-rules.js';

interface Subject {
  kind: string;
  apiGroup?: string;
  name: string;
  namespace?: string;
}

/** Roles, users and groups are of the group of RBAC, and service accounts of the core. */
export function defaultBinding(binding: KubeObject): void {
  if (binding.roleRef && !binding.roleRef.apiGroup) binding.roleRef.apiGroup = rbacGroup;
  for (const subject of subjectsOf(binding)) {
    if (subject.kind === 'User' || subject.kind === 'Group') subject.apiGroup ||= rbacGroup;
  }
}

/** Validates the subjects and the role of a binding. */
export function validateBinding(binding: KubeObject, scope: 'namespace' | 'cluster'): FieldError[] {
  const { roleRef = {} } = binding;
  const subjects = subjectsOf(binding);
  // Kubernetes finds what is missing after all other errors.
  return [
    ...validateRoleRef(roleRef, scope),
    ...subjects.flatMap((subject, index) => validateSubject(subject, `subjects[${index}]`, scope)),
    ...(roleRef.name ? [] : [required('roleRef.name')]),
    ...subjects.flatMap(({ name }, index) => (name ? [] : [required(`subjects[${index}].name`)])),
  ];
}

/** Another role means another binding: who may write one may not have been meant to choose. */
export function validateRoleRefKept({ roleRef }: KubeObject, old: KubeObject): FieldError[] {
  if (equalJson(roleRef, old.roleRef)) return [];
  const { apiGroup: APIGroup, kind: Kind, name: Name } = roleRef;
  return [invalid('roleRef', { APIGroup, Kind, Name }, 'field is immutable')];
}

function validateRoleRef(
  { apiGroup = '', kind = '', name = '' }: { apiGroup?: string; kind?: string; name?: string },
  scope: 'namespace' | 'cluster',
): FieldError[] {
  const kinds = scope === 'namespace' ? ['Role', 'ClusterRole'] : ['ClusterRole'];
  return [
    ...(apiGroup === rbacGroup ? [] : [notSupported('roleRef.apiGroup', apiGroup, [rbacGroup])]),
    ...oneOf('roleRef.kind', kind, kinds),
    ...invalidBecause('roleRef.name', name, pathSegmentProblems(name)),
  ];
}

function validateSubject(subject: Subject, field: string, scope: 'namespace' | 'cluster'): FieldError[] {
  const { kind, name = '', apiGroup = '', namespace = '' } = subject;
  const errors: FieldError[] = [];
  switch (kind) {
    case 'ServiceAccount':
      if (name !== '') errors.push(...invalidBecause(`${field}.name`, name, subdomainProblems(name)));
      if (apiGroup !== '') errors.push(notSupported(`${field}.apiGroup`, apiGroup, ['']));
      if (scope === 'cluster' && namespace === '') errors.push(required(`${field}.namespace`));
      return errors;
    case 'User':
    case 'Group':
      if (apiGroup !== rbacGroup) errors.push(notSupported(`${field}.apiGroup`, apiGroup, [rbacGroup]));
      return errors;
    default:
      return [notSupported(`${field}.kind`, kind, ['ServiceAccount', 'User', 'Group'])];
  }
}

/** ROLE, and with `-o wide` whom it is given to. */
export const bindingColumns: readonly Column[] = [
  textColumn('Role', 'The role that is given.', ({ roleRef }) => `${roleRef.kind}/${roleRef.name}`),
  ageColumn,
  wideColumn(
    'Users',
    'Users that have it.',
    listed('User', ({ name }) => name),
  ),
  wideColumn(
    'Groups',
    'Groups that have it.',
    listed('Group', ({ name }) => name),
  ),
  wideColumn(
    'ServiceAccounts',
    'Service accounts that have it.',
    listed('ServiceAccount', ({ name, namespace = '' }) => `${namespace}/${name}`),
  ),
];

function listed(kind: string, show: (subject: Subject) => string): Column['cell'] {
  return (binding) =>
    subjectsOf(binding)
      .filter((subject) => subject.kind === kind)
      .map(show)
      .join(', ');
}

function subjectsOf({ subjects }: KubeObject): Subject[] {
  return subjects ?? [];
}
