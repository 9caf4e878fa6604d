import { expect, test } from 'vitest';
import type { FeatureDefinitionSpec } from '../api/feature-definition.js';
import type { Scope } from '../api/scope.js';
import { builtInTasks } from '../catalogue/task-catalog.js';
import { aTaskContext } from '../testing/a-task-context.js';
import { nameOfRight } from './access-reviews.js';
import { type PlanStep, rightsOfRosters, rightsOfStep } from './rights-of-step.js';

const field = { group: 'apps', resource: 'statefulsets', path: 'spec.a' };
const example = { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 'x', namespace: 'acme' } };

function rights(scope: Scope, step: PlanStep, mode: 'Deny' | 'Strip' | 'None' = 'Deny'): readonly string[] {
  const definition: FeatureDefinitionSpec = {
    gate: 'Widgets',
    scope,
    components: [],
    references: [{ ...field, derived: [{ group: '', resource: 'pods', path: 'a' }] }],
    exercise: [example],
  };
  const { feature } = aTaskContext({ kind: step.kind }, { spec: { guard: { mode } } });
  return rightsOfStep(step, definition, feature).map(nameOfRight);
}

const statefulSets = (verbs: string, where = 'in namespace acme') =>
  verbs.split(' ').map((verb) => `${verb} statefulsets.apps ${where}`);
const everywhere = 'in the whole cluster';
const policies = (prefix: string) =>
  ['policies', 'policybindings'].flatMap((plural) =>
    ['create', 'update', 'delete'].map(
      (verb) => `${verb} ${prefix}admission${plural}.admissionregistration.k8s.io ${everywhere}`,
    ),
  );
const secrets = ['get', 'list', 'create', 'update', 'delete'].map((verb) => `${verb} secrets in namespace acme`);
const trial = statefulSets('create');

// scope | step | rights that its authors need
test.each<[Scope, PlanStep, readonly string[]]>([
  ['Namespace', { kind: 'Publish' }, []],
  ['Namespace', { kind: 'VerifyClean' }, [...statefulSets('list'), 'list pods in namespace acme']],
  ['Cluster', { kind: 'VerifyClean' }, [...statefulSets('list', everywhere), `list pods ${everywhere}`]],
  ['Namespace', { kind: 'InstallGuard' }, [...statefulSets('create update delete'), ...trial]],
  ['Cluster', { kind: 'InstallGuard' }, policies('validating')],
  ['Cluster', { kind: 'RemoveGuard' }, policies('validating')],
  ['Namespace', { kind: 'ClearField', args: field }, [...statefulSets('get list patch'), ...secrets]],
  ['Cluster', { kind: 'ClearField', args: { ...field, backup: 'None' } }, statefulSets('get list patch', everywhere)],
  ['Namespace', { kind: 'ClearCollection', args: field }, statefulSets('list delete')],
  [
    'Namespace',
    { kind: 'Webhook', args: { name: 'drain' } },
    ['call webhooks.features.slipway.dev drain in namespace acme'],
  ],
  ['Cluster', { kind: 'Job', args: { name: 'drain' } }, ['run jobs.features.slipway.dev drain in namespace acme']],
  ['Cluster', { kind: 'Drain' }, ['run tasks.features.slipway.dev Drain in namespace acme']],
])('rightsOfStep() with scope %s of %j', (scope, step, expected) => {
  expect(rights(scope, step)).toEqual(expected);
});

test('rightsOfStep() asks for the policies of the guard that is wanted', () => {
  expect(rights('Cluster', { kind: 'InstallGuard' }, 'Strip')).toEqual(policies('mutating'));
  expect(rights('Cluster', { kind: 'RemoveGuard' }, 'None')).toEqual([]);
});

test('rightsOfStep() asks for something for every kind of task that does more than read reports and publish', () => {
  const free = builtInTasks()
    .map(({ kind }) => kind)
    .filter((kind) => rights('Cluster', { kind, args: field }).length === 0);
  expect(free).toEqual(['CheckDependencies', 'Canary', 'Publish', 'WaitForUses']);
});

test('rightsOfRosters() asks for the names that the own namespace does not show', () => {
  const components: FeatureDefinitionSpec['components'] = [
    { name: 'a', roster: 'Nodes' },
    { name: 'b', roster: 'Pods', selector: 'b', namespace: 'shop' },
    { name: 'c', roster: 'Leases', lease: 'c', namespace: 'shop' },
    { name: 'd', roster: 'Pods', selector: 'd' },
    { name: 'e', roster: 'Self' },
    { name: 'f', roster: 'APIServers' },
  ];
  expect(rightsOfRosters({ gate: 'Widgets', components }, 'acme').map(nameOfRight)).toEqual([
    `list nodes ${everywhere}`,
    'list pods in namespace shop',
    'list leases.coordination.k8s.io in namespace shop',
  ]);
});
