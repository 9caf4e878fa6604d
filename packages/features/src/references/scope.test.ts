import type { KubeObject } from '@slipway/kube';
import { expect, test } from 'vitest';
import type { FeatureDefinitionSpec } from '../api/feature-definition.js';
import { reachOf, type Scope, scopeOf } from '../api/scope.js';
import { guardsOf } from '../guards/guard-policy.js';
import { clearCollection } from '../tasks/clear-collection.js';
import { clearFieldTask } from '../tasks/clear-field.js';
import { aCluster, aStatefulSet, statefulSets } from '../testing/a-cluster.js';
import { aTaskContext } from '../testing/a-task-context.js';
import { scanReferences } from './scan.js';

const field = { group: 'apps', resource: 'statefulsets', path: 'spec.updateStrategy.rollingUpdate.maxUnavailable' };

// scope | namespace | scope in force
test.each<[Scope | undefined, string | undefined, Scope]>([
  [undefined, 'kube-system', 'Cluster'],
  [undefined, 'slipway-system', 'Cluster'],
  [undefined, 'acme', 'Namespace'],
  [undefined, undefined, 'Namespace'],
  ['Namespace', 'kube-system', 'Namespace'],
  ['Cluster', 'acme', 'Cluster'],
])('scopeOf() a definition that says %s in %s is %s', (scope, namespace, expected) => {
  expect(scopeOf({ ...(scope && { scope }) }, namespace)).toBe(expected);
});

/** One stateful set that uses the field in each namespace, and one node. */
function twoNamespaces() {
  const cluster = aCluster();
  for (const namespace of ['acme', 'shop']) {
    const set = aStatefulSet(0, true);
    cluster.api.seed(statefulSets, { ...set, metadata: { ...set.metadata, namespace } });
  }
  return cluster;
}

// scope | who is found | who has the field afterwards
test.each<[Scope, string[], string[]]>([
  ['Namespace', ['acme'], ['shop']],
  ['Cluster', ['acme', 'shop'], []],
])('ClearField and scanReferences() with scope %s reach %j', async (scope, found, left) => {
  const { kube, clock, statefulSets: stored } = twoNamespaces();
  const definition: FeatureDefinitionSpec = { gate: 'Widgets', scope, components: [], references: [field] };
  const context = aTaskContext({ kind: 'ClearField', args: { ...field, backup: 'None' } }, { kube, clock, definition });
  const { namespace } = context.feature.metadata;
  const scan = { kube, references: [field], namespace: reachOf(definition, namespace), pageSize: 1, nowMs: 0 };
  const { samples } = await scanReferences({ ...scan, signal: context.signal });
  expect(samples.map((sample) => sample.namespace)).toEqual(found);
  expect(await clearFieldTask.run(context)).toMatchObject({ kind: 'done', objects: found.length });
  const uses = stored().filter(({ spec }) => spec.updateStrategy.rollingUpdate?.maxUnavailable !== undefined);
  expect(uses.map(({ metadata }) => metadata.namespace)).toEqual(left);
});

test('ClearCollection with scope Namespace deletes objects of its own namespace only', async () => {
  const { kube, clock, statefulSets: stored } = twoNamespaces();
  const args = { group: 'apps', resource: 'statefulsets', namespaces: ['acme', 'shop'] };
  const definition: FeatureDefinitionSpec = { gate: 'Widgets', components: [] };
  await clearCollection.run(aTaskContext({ kind: 'ClearCollection', args }, { kube, clock, definition }));
  expect(stored().map(({ metadata }) => metadata.namespace)).toEqual(['shop']);
});

test('guardsOf() a definition of one namespace matches no write outside of it, nor of cluster-scoped objects', () => {
  const { feature } = aTaskContext({ kind: 'InstallGuard' });
  const definition: FeatureDefinitionSpec = { gate: 'Widgets', components: [], references: [field] };
  const policies = (served: { readonly mutating?: string }, mode: 'Deny' | 'Strip') =>
    guardsOf({ ...feature, spec: { ...feature.spec, guard: { mode } } }, definition, {
      validating: true,
      ...served,
    }).guards.map(({ policy }): KubeObject => policy);
  const all = [...policies({}, 'Deny'), ...policies({ mutating: 'v1' }, 'Strip')];
  expect(all).toHaveLength(2);
  for (const { spec } of all) {
    expect(spec.matchConstraints.namespaceSelector).toEqual({
      matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: ['acme'] }],
    });
    expect(spec.matchConditions).toEqual([{ name: 'in-its-namespace', expression: "request.namespace == 'acme'" }]);
  }
});
