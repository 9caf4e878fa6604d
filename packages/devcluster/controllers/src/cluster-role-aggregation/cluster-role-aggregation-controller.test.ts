import { aCluster } from '@slipway/devcluster/testing/a-cluster';
import { type ClusterRole, clusterRoles } from '@slipway/kube-objects/kinds/api/roles';
import { expect, test, vi } from 'vitest';
import { aggregatedRules } from './cluster-role-aggregation-controller.js';

const rule = (resource: string) => ({ verbs: ['get'], apiGroups: [''], resources: [resource] });
const part = (name: string, label: string, ...resources: string[]): ClusterRole => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name, labels: { [label]: 'true' } },
  rules: resources.map(rule),
});
const whole = (name: string, ...labels: string[]): ClusterRole => ({
  ...part(name, 'whole'),
  aggregationRule: { clusterRoleSelectors: labels.map((label) => ({ matchLabels: { [label]: 'true' } })) },
});

test('aggregatedRules() are those of the selected roles, in the order of their names, each once', () => {
  const all = [part('c', 'x', 'pods', 'nodes'), part('a', 'x', 'secrets', 'pods'), part('b', 'y', 'leases')];
  const resources = (role: ClusterRole) => aggregatedRules(role, [...all, role]).map((one) => one.resources?.[0]);
  expect(resources(whole('w', 'x'))).toEqual(['secrets', 'pods', 'nodes']);
  expect(resources(whole('w', 'y', 'x'))).toEqual(['leases', 'secrets', 'pods', 'nodes']);
  expect(resources(whole('w', 'whole'))).toEqual([]);
});

test('a role made of others follows them: parts that come, change and go', async () => {
  await using cluster = await aCluster({ nodes: 0 });
  const client = cluster.kube.resource(clusterRoles);
  const has = async (...resources: string[]) =>
    await vi.waitFor(async () => {
      const { rules } = await client.get({ name: 'w' });
      expect((rules ?? []).map((one) => one.resources?.[0])).toEqual(resources);
    });
  await client.create(whole('w', 'x'));
  await client.create(part('a', 'x', 'pods'));
  await has('pods');
  await client.merge({ name: 'a' }, { rules: [rule('nodes')] });
  await has('nodes');
  await client.delete({ name: 'a' });
  await has();
});
