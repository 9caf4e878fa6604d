import type { KubeObject, PolicyRule } from '@slipway/kube';
import { expect, test } from 'vitest';
import { builtInDefinitions } from '../catalogue/built-in-definitions.js';
import { defineFeature } from '../catalogue/define-feature.js';
import { maxUnavailableStatefulSet } from '../catalogue/max-unavailable-stateful-set.js';
import { builtInTasks } from '../tasks/task-catalog.js';
import { featureManifests, nodeAgentManifests } from './feature-manifests.js';
import { rightsOf } from './rights-of-definition.js';

test('rightsOf() asks for what a definition does with the API, and for no more', () => {
  const { objects, unknown } = rightsOf(maxUnavailableStatefulSet().object);
  expect(objects.map(({ kind, metadata }) => [kind, metadata.name, metadata.namespace])).toEqual([
    ['ClusterRole', 'slipway-feature:kube-system:maxunavailablestatefulset', undefined],
    ['Role', 'slipway-feature:kube-system:maxunavailablestatefulset:trial', 'default'],
    ['Role', 'slipway-feature:kube-system:maxunavailablestatefulset:backups', 'slipway-system'],
    ['ClusterRoleBinding', 'slipway-feature:kube-system:maxunavailablestatefulset', undefined],
    ['RoleBinding', 'slipway-feature:kube-system:maxunavailablestatefulset:trial', 'default'],
    ['RoleBinding', 'slipway-feature:kube-system:maxunavailablestatefulset:backups', 'slipway-system'],
  ]);
  const [cluster, trial, backups] = objects;
  expect(trial?.rules).toEqual([{ apiGroups: ['apps'], resources: ['statefulsets'], verbs: ['create'] }]);
  expect(cluster?.rules.find(({ resources }: PolicyRule) => resources?.includes('statefulsets'))).toEqual({
    apiGroups: ['apps'],
    resources: ['statefulsets'],
    verbs: ['list', 'get', 'patch'],
  });
  expect(backups?.rules[0].resources).toEqual(['secrets']);
  expect(unknown).toEqual([]);
});

test('rightsOf() asks for nothing where nothing of users is touched, and names what it cannot know', () => {
  const webhook = { kind: 'Webhook', args: { name: 'drain' } };
  const job = { kind: 'Job', args: { name: 'drain' } };
  const defined = defineFeature({ namespace: 'acme', gate: 'Fast', components: ['a'], tasks: { off: [webhook, job] } });
  expect(rightsOf(defined.object)).toEqual({ objects: [], unknown: ['Job'] });
});

test('rightsOf() a definition of one namespace gives rights in that namespace only', () => {
  const args = { group: 'acme.io', resource: 'widgets', path: 'spec.fast' };
  const tasks = { off: [{ kind: 'ClearField', args }] };
  const { object } = defineFeature({ namespace: 'acme', gate: 'Fast', components: ['a'], references: [args], tasks });
  const { objects } = rightsOf(object);
  expect(objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace}`)).toEqual([
    'Role acme',
    'Role acme',
    'RoleBinding acme',
    'RoleBinding acme',
  ]);
});

test('rightsOf() lets nothing be created outside the namespaces of the examples', () => {
  for (const { object } of builtInDefinitions()) {
    const namespaces = (object.spec.exercise ?? []).flatMap(({ metadata }) => metadata.namespace ?? []);
    const creating = rightsOf(object).objects.filter(({ rules = [] }) =>
      (rules as readonly PolicyRule[]).some(
        ({ verbs, resources }) => verbs.includes('create') && !resources?.includes('secrets'),
      ),
    );
    const where = creating.flatMap(
      ({ metadata }) => metadata.namespace ?? (namespaces.length > 0 ? ['everywhere'] : []),
    );
    expect(where, object.spec.gate).toEqual(namespaces);
  }
});

test('rightsOf() knows every kind of task that touches objects', () => {
  const touching = builtInTasks().map(({ kind }) => kind);
  const planned = ['CheckDependents', 'InstallGuard', 'Canary', 'Publish', 'WaitForUses', 'VerifyClean', 'RemoveGuard'];
  const known = touching.filter((kind) => {
    const spec = { gate: 'A', components: [], tasks: { off: [{ kind, args: {} }] } };
    return rightsOf({ apiVersion: '', kind: '', metadata: { name: 'a' }, spec }).unknown.length === 0;
  });
  const needless = [...planned, 'CheckDependencies', 'Job'];
  expect(touching.filter((kind) => !known.includes(kind) && !needless.includes(kind))).toEqual([]);
});

test('no role that we ship has a rule for everything', () => {
  const shipped = [
    ...featureManifests(),
    ...nodeAgentManifests(),
    ...builtInDefinitions().flatMap(({ object }) => rightsOf(object).objects),
  ];
  const rules = shipped.flatMap(({ rules = [] }) => rules as readonly PolicyRule[]);
  expect(rules.length).toBeGreaterThan(10);
  expect(rules.filter((rule) => Object.values(rule).flat().includes('*'))).toEqual([]);
  expect(rules.filter(({ resources }) => resources?.includes('nodes/proxy'))).toEqual([]);
});

test('featureManifests() without guards makes no admission policy of its own for features that are off', () => {
  const writing = featureManifests({ guards: false })
    .flatMap(({ rules = [] }) => rules as readonly PolicyRule[])
    .filter(({ apiGroups = [] }) => apiGroups.includes('admissionregistration.k8s.io'))
    .filter(({ verbs }) => verbs.some((verb) => verb !== 'get'));
  expect(writing).toEqual([]);
});

test('no role that comes with a namespace lets its holder write a definition, which reaches every namespace', () => {
  const roles = featureManifests().filter(({ kind }) => kind === 'ClusterRole');
  const isAggregated = ({ metadata }: KubeObject) =>
    Object.keys(metadata.labels ?? {}).some((label) => label.startsWith('rbac.authorization.k8s.io/aggregate-to-'));
  const writing = roles.filter(({ rules }) =>
    (rules as readonly PolicyRule[]).some(
      ({ resources = [], verbs }) =>
        resources.includes('featuredefinitions') && verbs.some((verb) => !['get', 'list', 'watch'].includes(verb)),
    ),
  );
  expect(writing.map(({ metadata }) => metadata.name)).toEqual(['slipway-features-author', 'slipway-feature-server']);
  expect(writing.filter(isAggregated)).toEqual([]);
});
