import { expect, test } from 'vitest';
import { builtInSchema } from './type-table.js';

test('toStored() makes null of the empty lists that are always written, at any depth', () => {
  const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: {}, rules: [{ verbs: [] }] };
  builtInSchema('rbac.v1.Role').toStored?.(role);
  expect(role.rules).toEqual([{ verbs: null }]);
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: {}, spec: { containers: [], volumes: [{ name: 'a' }] } };
  builtInSchema('core.v1.Pod').toStored?.(pod);
  expect(pod.spec).toEqual({ containers: null, volumes: [{ name: 'a' }] });
});
