import type { KubeObject, PolicyRule } from '@slipway/kube';
import { expect, test } from 'vitest';
import type { FeatureDefinition } from '../api/feature-definition.js';
import { builtInDefinitions } from '../catalogue/built-in-definitions.js';
import { defineFeature } from '../catalogue/define-feature.js';
import { maxUnavailableStatefulSet } from '../catalogue/max-unavailable-stateful-set.js';
import { builtInTasks } from '../catalogue/task-catalog.js';
import { featureManifests } from '../operations/feature-manifests.js';
import { rightsOf } from './rights-of-definition.js';

test('rightsOf() asks for what a definition does with the API, and for no more', () => {
  const { objects, unknown } = rightsOf(maxUnavailableStatefulSet().object);
  expect(objects.map(({ kind, metadata }) => [kind, metadata.name, metadata.namespace])).toEqual([
    ['Namespace', 'slipway-trials', undefined],
    ['ClusterRole', 'slipway-feature:kube-system:maxunavailablestatefulset', undefined],
    ['Role', 'slipway-feature:kube-system:maxunavailablestatefulset:trial', 'slipway-trials'],
    ['Role', 'slipway-feature:kube-system:maxunavailablestatefulset:backups', 'slipway-system'],
    ['ClusterRoleBinding', 'slipway-feature:kube-system:maxunavailablestatefulset', undefined],
    ['RoleBinding', 'slipway-feature:kube-system:maxunavailablestatefulset:trial', 'slipway-trials'],
    ['RoleBinding', 'slipway-feature:kube-system:maxunavailablestatefulset:backups', 'slipway-system'],
  ]);
  const [, cluster, trial, backups] = objects;
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
  const { objects, unknown } = rightsOf(defined.object, { drain: { namespace: 'jobs' }, other: { namespace: 'else' } });
  expect(unknown).toEqual([]);
  expect(objects).toEqual([
    expect.objectContaining({
      kind: 'Role',
      metadata: expect.objectContaining({ namespace: 'jobs' }),
      rules: [
        { apiGroups: ['batch'], resources: ['jobs'], verbs: ['get', 'create'] },
        { apiGroups: [''], resources: ['pods'], verbs: ['list'] },
      ],
    }),
    expect.objectContaining({ kind: 'RoleBinding', metadata: expect.objectContaining({ namespace: 'jobs' }) }),
  ]);
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

test('rightsOf() lets nothing of users be created but where nothing is stored, or in the namespace of the definition', () => {
  const creating = (definition: FeatureDefinition) =>
    rightsOf(definition).objects.flatMap(({ rules = [], metadata }) =>
      (rules as readonly PolicyRule[]).some(
        ({ verbs, resources }) => verbs.includes('create') && !resources?.includes('secrets'),
      )
        ? [metadata.namespace ?? 'everywhere']
        : [],
    );
  for (const { object } of builtInDefinitions()) {
    const tried = (object.spec.exercise ?? []).map(({ metadata }) =>
      metadata.namespace ? 'slipway-trials' : 'everywhere',
    );
    expect(creating(object), object.spec.gate).toEqual([...new Set(tried)]);
  }
  const references = [{ group: 'acme.io', resource: 'widgets', path: 'spec.fast' }];
  const example = {
    apiVersion: 'acme.io/v1',
    kind: 'Widget',
    metadata: { name: 'a', namespace: 'acme' },
    spec: { fast: 1 },
  };
  const { object } = defineFeature({
    namespace: 'acme',
    gate: 'Fast',
    components: ['a'],
    references,
    exercise: [example],
  });
  expect(creating(object)).toEqual(['acme']);
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
  const shipped = [...featureManifests(), ...builtInDefinitions().flatMap(({ object }) => rightsOf(object).objects)];
  const rules = shipped.flatMap(({ rules = [] }) => rules as readonly PolicyRule[]);
  expect(rules.length).toBeGreaterThan(10);
  expect(rules.filter((rule) => Object.values(rule).flat().includes('*'))).toEqual([]);
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
