import { expect, test } from 'vitest';
import { clusterRoles } from './cluster-role.js';
import { clusterRoleBindings } from './cluster-role-binding.js';
import { roles } from './role.js';
import { roleBindings } from './role-binding.js';
import { createErrors, row, updateErrors } from './testing/write.js';

const group = 'rbac.authorization.k8s.io';
const rule = { verbs: ['get'], apiGroups: [''], resources: ['pods'] };
const role = (rules: unknown[], more = {}) => ({
  apiVersion: `${group}/v1`,
  kind: 'Role',
  metadata: { name: 'r', namespace: 'x' },
  rules,
  ...more,
});
const clusterRole = (rules: unknown[], more = {}) => ({
  ...role(rules, more),
  kind: 'ClusterRole',
  metadata: { name: 'r' },
});

// what the rule is | role | what is wrong
const rules: [string, string[]][] = [
  ['rules[0].verbs: Required value', createErrors(roles, role([{ ...rule, verbs: [] }]))],
  [
    'rules[0].apiGroups: Required value: resource rules must supply at least one api group',
    createErrors(roles, role([{ ...rule, apiGroups: [] }])),
  ],
  [
    'rules[1].resources: Required value: resource rules must supply at least one resource',
    createErrors(roles, role([rule, { ...rule, resources: [] }])),
  ],
  [
    'rules[0].nonResourceURLs: Invalid value: ["/x"]: namespaced rules cannot apply to non-resource URLs',
    createErrors(roles, role([{ verbs: ['get'], nonResourceURLs: ['/x'] }])),
  ],
  [
    'rules[0].nonResourceURLs: Invalid value: ["/x"]: rules cannot apply to both regular resources and non-resource URLs',
    createErrors(clusterRoles, clusterRole([{ ...rule, nonResourceURLs: ['/x'] }])),
  ],
  [
    'aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil',
    createErrors(clusterRoles, clusterRole([], { aggregationRule: {} })),
  ],
];

test.each(rules)('%s', (expected, errors) => {
  expect(errors).toEqual([expected]);
});

test('a cluster role names paths, and any role may permit nothing', () => {
  expect(createErrors(clusterRoles, clusterRole([{ verbs: ['get'], nonResourceURLs: ['/x'] }]))).toEqual([]);
  expect(createErrors(roles, role([]))).toEqual([]);
});

const binding = (subjects: unknown[], roleRef: object = {}) => ({
  apiVersion: `${group}/v1`,
  kind: 'RoleBinding',
  metadata: { name: 'b', namespace: 'x' },
  subjects,
  roleRef: { apiGroup: group, kind: 'Role', name: 'r', ...roleRef },
});
const clusterBinding = (subjects: unknown[], roleRef: object = {}) => ({
  ...binding(subjects, { kind: 'ClusterRole', ...roleRef }),
  kind: 'ClusterRoleBinding',
  metadata: { name: 'b' },
});

// subjects and role | what is wrong
const bindings: [string[], string[]][] = [
  [
    [],
    createErrors(
      roleBindings,
      binding([
        { kind: 'User', name: 'jane' },
        { kind: 'Group', name: 'devs' },
      ]),
    ),
  ],
  [[], createErrors(roleBindings, binding([{ kind: 'ServiceAccount', name: 'sa' }]))],
  [
    ['subjects[0].namespace: Required value'],
    createErrors(clusterRoleBindings, clusterBinding([{ kind: 'ServiceAccount', name: 'sa' }])),
  ],
  [
    ['subjects[0].apiGroup: Unsupported value: "rbac.authorization.k8s.io": supported values: ""'],
    createErrors(roleBindings, binding([{ kind: 'ServiceAccount', name: 'sa', apiGroup: group }])),
  ],
  [
    ['subjects[0].kind: Unsupported value: "Robot": supported values: "ServiceAccount", "User", "Group"'],
    createErrors(roleBindings, binding([{ kind: 'Robot', name: 'x' }])),
  ],
  [
    ['roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"'],
    createErrors(clusterRoleBindings, clusterBinding([], { kind: 'Role' })),
  ],
  [['roleRef.name: Required value'], createErrors(roleBindings, binding([], { name: '' }))],
  [
    ['roleRef.name: Invalid value: "a/b": may not contain \'/\''],
    createErrors(roleBindings, binding([], { name: 'a/b' })),
  ],
];

test.each(bindings)('a binding with complaints %j', (expected, errors) => {
  expect(errors).toEqual(expected);
});

test('the role of a binding stays what it was', () => {
  const changed = updateErrors(roleBindings, binding([]), binding([], { name: 'other' }));
  expect(changed).toEqual([expect.stringContaining('field is immutable')]);
  expect(updateErrors(roleBindings, binding([]), binding([{ kind: 'User', name: 'jane' }]))).toEqual([]);
});

test('tables say what is bound to whom', () => {
  const subjects = [
    { kind: 'User', name: 'jane' },
    { kind: 'User', name: 'john' },
    { kind: 'ServiceAccount', name: 'sa', namespace: 'ns' },
  ];
  expect(row(roleBindings, binding(subjects))).toMatchObject({
    ROLE: 'Role/r',
    USERS: 'jane, john',
    GROUPS: '',
    SERVICEACCOUNTS: 'ns/sa',
  });
  expect(row(roles, { ...role([]), metadata: { name: 'r', creationTimestamp: '2026-11-20T11:00:00Z' } })).toMatchObject(
    {
      'CREATED AT': '2026-11-20T11:00:00Z',
    },
  );
});
