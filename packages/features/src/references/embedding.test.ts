import { expect, test } from 'vitest';
import type { Reference } from '../api/feature-definition.js';
import { builtInDefinitions } from '../catalogue/built-in-definitions.js';
import { guardsOf } from '../guards/guard-policy.js';
import { rightsOfScan, rightsOfStep } from '../rbac/rights-of-step.js';
import { waitForNoObjects } from '../tasks/wait-for-no-objects.js';
import { aCluster, aStatefulSet, statefulSets } from '../testing/a-cluster.js';
import { aTaskContext } from '../testing/a-task-context.js';
import { type EmbeddedField, embeddedFields, kubernetesTypes, referencesOf, type TypeGraph } from './embedding.js';
import { referenceProblems } from './reference-problems.js';

const text = ({ group, resource, path }: EmbeddedField) =>
  `${group === '' ? resource : `${resource}.${group}`} ${path}`;

// field | where it is as well
test.each<[string, string, string, string[]]>([
  [
    '',
    'pods',
    'spec.volumes[*].image',
    [
      'cronjobs.batch spec.jobTemplate.spec.template.spec.volumes[*].image',
      'daemonsets.apps spec.template.spec.volumes[*].image',
      'deployments.apps spec.template.spec.volumes[*].image',
      'jobs.batch spec.template.spec.volumes[*].image',
      'podtemplates template.spec.volumes[*].image',
      'replicasets.apps spec.template.spec.volumes[*].image',
      'replicationcontrollers spec.template.spec.volumes[*].image',
      'statefulsets.apps spec.template.spec.volumes[*].image',
    ],
  ],
  ['apps', 'statefulsets', 'spec.updateStrategy.rollingUpdate.maxUnavailable', []],
  ['', 'configmaps', 'data["a"]', []],
  ['acme.io', 'widgets', 'spec.fast', []],
  ['batch', 'jobs', 'spec.backoffLimitPerIndex', ['cronjobs.batch spec.jobTemplate.spec.backoffLimitPerIndex']],
])('embeddedFields() finds what of %s/%s has %s, too', (group, resource, path, others) => {
  const [first, ...rest] = embeddedFields({ group, resource, path });
  expect(first).toEqual({ group, resource, path });
  expect(rest.map(text).sort()).toEqual(others);
});

test('embeddedFields() keeps a condition on list items, and finds types several times in one kind', () => {
  const graph: TypeGraph = {
    kinds: { as: ['A'], 'bs.b.io': ['B'] },
    types: { A: { 'items[*]': 'Item', more: 'A' }, B: { 'as[*]': 'A', other: 'A' }, Item: { leaf: 'Leaf' } },
  };
  const found = embeddedFields({ group: '', resource: 'as', path: 'items[name=x].leaf.on' }, graph);
  expect(found.map(text)).toEqual([
    'as items[name=x].leaf.on',
    'as more.items[name=x].leaf.on',
    'bs.b.io as[*].items[name=x].leaf.on',
    'bs.b.io as[*].more.items[name=x].leaf.on',
    'bs.b.io other.items[name=x].leaf.on',
    'bs.b.io other.more.items[name=x].leaf.on',
  ]);
});

test('embeddedFields() of a replica set leaves out those that a deployment makes', () => {
  const found = embeddedFields({ group: '', resource: 'pods', path: 'spec.hostUsers' });
  expect(found.filter(({ match }) => match).map(({ resource }) => resource)).toEqual(['replicasets']);
});

test('referencesOf() an embedded reference has each kind once, with its default, and what is named as it is named', () => {
  const statefulSets = { group: 'apps', resource: 'statefulsets', path: 'spec.template.spec.hostUsers' };
  const named = { ...statefulSets, match: [{ path: 'spec.replicas', operator: 'Exists' as const }] };
  const embedded = { group: '', resource: 'pods', path: 'spec.hostUsers', default: true, embedded: true };
  const found = referencesOf({ references: [embedded, named] });
  expect(found[0]).toBe(embedded);
  expect(found.filter(({ resource }) => resource === 'statefulsets')).toEqual([named]);
  expect(found.filter((one) => one.default === true)).toHaveLength(8);
  expect(referencesOf({ references: [{ ...embedded, path: 'spec..' }] })).toHaveLength(1);
});

// what is embedded | what is said
test.each<[Partial<Reference>, string]>([
  [{ path: 'spec.hostUsers', match: [{ path: 'spec.a', operator: 'Exists' }] }, 'has a match'],
  [{ kind: 'Object' }, 'has no path'],
  [{ group: 'acme.io', resource: 'widgets', path: 'spec.fast' }, 'only a field of a kind of Kubernetes'],
])('referenceProblems() rejects an embedded reference that could mean anything: %j', (more, said) => {
  const problems = referenceProblems({ group: '', resource: 'pods', embedded: true, ...more });
  expect(problems.join()).toContain(said);
});

test('an embedded reference is scanned, guarded, waited for and needs rights in every kind', async () => {
  const cluster = aCluster();
  const set = aStatefulSet(0, false);
  const template = { spec: { containers: [], hostUsers: false } };
  cluster.api.seed(statefulSets, { ...set, spec: { ...set.spec, template } });
  const field = { group: '', resource: 'pods', path: 'spec.hostUsers', embedded: true };
  const task = { kind: 'WaitForNoObjects', args: field };
  const definition = { gate: 'A', scope: 'Cluster' as const, components: [], references: [field] };
  const context = aTaskContext(task, { kube: cluster.kube, clock: cluster.clock, definition });
  expect(await waitForNoObjects.run(context)).toMatchObject({ reason: 'ObjectsRemain', dangling: { count: 1 } });
  const { guards } = guardsOf(context.feature, definition, { validating: true });
  expect(guards).toHaveLength(9);
  const listed = rightsOfStep(task, definition, context.feature).map(({ resource }) => resource);
  expect(listed).toHaveLength(9);
  expect(rightsOfScan(definition, context.feature).map(({ resource }) => resource)).toEqual(listed);
});

const references = builtInDefinitions().flatMap(({ object: { spec } }) =>
  (spec.references ?? []).flatMap(({ group, resource, path }) =>
    path === undefined ? [] : [{ gate: spec.gate, field: { group, resource, path }, all: spec.references ?? [] }],
  ),
);

test.each(references)('the definition of $gate covers every kind that embeds $field.path', ({ field, all }) => {
  expect(kubernetesTypes.kinds[field.group === '' ? field.resource : `${field.resource}.${field.group}`]).toBeDefined();
  const isCovered = (one: EmbeddedField) => all.some(({ path, ...of }) => path && text({ ...of, path }) === text(one));
  expect(embeddedFields(field).filter((one) => !isCovered(one))).toEqual([]);
});
