import type { KubeObject } from '@slipway/kube';
import { expect, test } from 'vitest';
import { declaredRoles, nodeRules } from './declared-roles.js';

const minors = [34, 35, 36, 37];
const keyOf = ({ kind, metadata: { namespace = '', name } }: KubeObject) => `${kind} ${namespace}/${name}`;

test.each(minors)('of 1.%i every object is declared once, and every binding is to a role that there is', (minor) => {
  const objects = declaredRoles(minor);
  const keys = new Set(objects.map(keyOf));
  expect(keys.size).toBe(objects.length);
  const bound = objects.flatMap(({ roleRef, metadata: { namespace } }) =>
    roleRef === undefined
      ? []
      : [keyOf({ kind: roleRef.kind, metadata: { namespace, name: roleRef.name } } as KubeObject)],
  );
  expect(bound.filter((key) => !keys.has(key))).toEqual([]);
});

test('a version has the roles of its own', () => {
  const of = (minor: number, name: string) => declaredRoles(minor).find(({ metadata }) => metadata.name === name);
  expect(of(36, 'system:cluster-trust-bundle-discovery')).toBeUndefined();
  expect(of(37, 'system:cluster-trust-bundle-discovery')?.rules).toEqual([
    { verbs: ['get', 'list', 'watch'], apiGroups: ['certificates.k8s.io'], resources: ['clustertrustbundles'] },
  ]);
  const paths = (minor: number) => of(minor, 'system:monitoring')?.rules[0].nonResourceURLs;
  expect(paths(35)).not.toContain('/flagz');
  expect(paths(36)).toContain('/flagz');
});

test('a role of people grows with others; a binding names users, groups and accounts; a rule may name paths or objects', () => {
  const of = (key: string) => declaredRoles(37).find((object) => keyOf(object) === key);
  expect(of('ClusterRole /edit')).toMatchObject({
    metadata: { labels: { 'rbac.authorization.k8s.io/aggregate-to-admin': 'true' } },
    aggregationRule: {
      clusterRoleSelectors: [{ matchLabels: { 'rbac.authorization.k8s.io/aggregate-to-edit': 'true' } }],
    },
  });
  expect(of('ClusterRoleBinding /system:public-info-viewer')).toMatchObject({
    subjects: [
      { kind: 'Group', name: 'system:authenticated' },
      { kind: 'Group', name: 'system:unauthenticated' },
    ],
  });
  expect(of('RoleBinding kube-system/system:controller:token-cleaner')).toMatchObject({
    roleRef: { kind: 'Role', name: 'system:controller:token-cleaner' },
    subjects: [{ kind: 'ServiceAccount', namespace: 'kube-system', name: 'token-cleaner' }],
  });
  expect(of('ClusterRole /cluster-admin')?.rules).toEqual([
    { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
    { verbs: ['*'], nonResourceURLs: ['*'] },
  ]);
  expect(of('Role kube-system/extension-apiserver-authentication-reader')?.rules).toEqual([
    {
      verbs: ['get', 'list', 'watch'],
      apiGroups: [''],
      resources: ['configmaps'],
      resourceNames: ['extension-apiserver-authentication'],
    },
  ]);
});

test('nodes may do what their role says', () => {
  expect(nodeRules(37)).toContainEqual({ verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['services'] });
});
