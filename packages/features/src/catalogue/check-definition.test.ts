import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { FeatureDefinitionSpec } from '../api/feature-definition.js';
import { builtInDefinitions } from './built-in-definitions.js';
import { checkDefinition } from './check-definition.js';
import { clearField, custom, DefinitionError, defineFeature } from './define-feature.js';
import { builtInTasks, TaskCatalog } from './task-catalog.js';

const widgets = { group: 'acme.io', resource: 'widgets' };
const base: FeatureDefinitionSpec = { gate: 'Fast', components: [{ name: 'operator', roster: 'Self' }] };
const clearing = (group: string, resource: string, path: string, args: object = {}): FeatureDefinitionSpec => ({
  ...base,
  references: [{ group, resource, path }],
  tasks: { off: [{ kind: 'ClearField', args: { group, resource, path, ...args } }] },
});

// what is wrong | definition | what is said
const wrong: [string, FeatureDefinitionSpec, string][] = [
  ['an immutable path', clearing('', 'pods', 'spec.hostUsers'), 'spec of pods is immutable'],
  ['a pod template', clearing('apps', 'deployments', 'spec.template.spec.hostUsers'), 'say allowRollout: true'],
  ['a path that is none', clearing('acme.io', 'widgets', 'spec..fast'), 'wrong at character 6'],
  [
    'an unknown task',
    { ...base, tasks: { off: [{ kind: 'Explode' }] } },
    'no task of kind Explode; there are: ClearField',
  ],
  ['a task of every plan', { ...base, tasks: { off: [{ kind: 'Publish' }] } }, 'no task of kind Publish'],
  ['a misspelt argument', clearing('acme.io', 'widgets', 'spec.fast', { backups: 'None' }), 'no argument backups'],
  [
    'missing arguments',
    { ...base, tasks: { off: [{ kind: 'ClearField' }] } },
    'needs the arguments group, resource and path',
  ],
  [
    'a field that would not be scanned again',
    { ...clearing('acme.io', 'widgets', 'spec.fast'), references: [] },
    'not among the references',
  ],
  [
    'a field that is cleared in more objects than are said to use it',
    {
      ...clearing('acme.io', 'widgets', 'spec.fast'),
      references: [{ ...widgets, path: 'spec.fast', match: [{ path: 'spec.type', operator: 'Exists' }] }],
    },
    'with the same match',
  ],
  ['a reference without a path', { ...base, references: [widgets] }, 'needs a path, or kind Object'],
  [
    'a condition without values',
    { ...base, references: [{ ...widgets, path: 'spec.fast', match: [{ path: 'spec.type', operator: 'In' }] }] },
    'needs values for In',
  ],
  ['two components of one name', { ...base, components: [...base.components, ...base.components] }, 'named twice'],
  ['no component', { ...base, components: [] }, 'at least one component'],
  ['leases without a selector', { ...base, components: [{ name: 'a', roster: 'Leases' }] }, 'no selector'],
  ['pods without a selector', { ...base, components: [{ name: 'a', roster: 'Pods', lease: 'b' }] }, 'no selector'],
  ['itself as a dependency', { ...base, dependsOn: ['Fast'] }, 'names itself'],
  ['a gate that makes no name', { ...base, gate: 'Fast_Path' }, 'not a valid object name'],
  [
    'versions that go back',
    {
      ...base,
      stages: [
        { version: '1.10', stage: 'Alpha', default: false },
        { version: '1.9', stage: 'Beta', default: true },
      ],
    },
    'ascending order of versions: 1.9',
  ],
];
test.each(wrong)('checkDefinition() refuses %s', (_what, definition, said) => {
  expect(checkDefinition(definition, new TaskCatalog(builtInTasks())).join('\n')).toContain(said);
});

const nodes = { ...base, components: [{ name: 'agent', roster: 'Nodes' as const }] };
const elsewhere = {
  ...base,
  components: [{ name: 'agent', roster: 'Pods' as const, selector: 'a=b', namespace: 'b' }],
};
const crd = { ...base, tasks: { off: [{ kind: 'RemoveCRD', args: { name: 'widgets.acme.io' } }] } };
const emptied = {
  ...base,
  references: [{ ...widgets, kind: 'Object' as const }],
  tasks: { off: [{ kind: 'ClearCollection', args: { ...widgets, namespaces: ['acme', 'shop'] } }] },
};
const example = { ...base, exercise: [{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', namespace: 'shop' } }] };

// definition | what is said of it in a namespace of its own
test.each<[FeatureDefinitionSpec, string]>([
  [nodes, 'component agent is counted outside of its namespace'],
  [elsewhere, 'component agent is counted outside of its namespace'],
  [crd, 'task RemoveCRD changes objects of the whole cluster'],
  [emptied, 'task ClearCollection names other namespaces'],
  [example, 'the example Pod a is in another namespace'],
])('checkDefinition() rejects what a definition of one namespace does not reach: %#', (definition, said) => {
  const tasks = new TaskCatalog(builtInTasks());
  expect(checkDefinition(definition, tasks, 'acme')).toEqual([`${said}, which needs scope: Cluster`]);
  expect(checkDefinition({ ...definition, scope: 'Cluster' }, tasks, 'acme')).toEqual([]);
});

test('checkDefinition() accepts a rollout that was agreed to, and objects as references', () => {
  const tasks = new TaskCatalog(builtInTasks());
  const rollout = clearing('apps', 'deployments', 'spec.template.spec.hostUsers', { allowRollout: true });
  expect(checkDefinition(rollout, tasks)).toEqual([]);
  expect(checkDefinition({ ...base, references: [{ ...widgets, kind: 'Object' }] }, tasks)).toEqual([]);
});

test('checkDefinition() reads tasks under the keys that YAML 1.1 makes of on and off', () => {
  const { tasks, ...rest } = clearing('', 'pods', 'spec.hostUsers');
  const read = { ...rest, tasks: { false: tasks?.off ?? [] } };
  expect(checkDefinition(read, new TaskCatalog(builtInTasks())).join()).toContain('spec of pods is immutable');
});

test('defineFeature() makes an object without functions, and keeps them for the server', () => {
  const field = { ...widgets, path: 'spec.fast' };
  const drain = async () => ({ phase: 'Done' }) as const;
  const { object, tasks } = defineFeature({
    namespace: 'acme',
    gate: 'FastPath',
    scope: 'Cluster',
    components: ['operator', { name: 'agent', roster: 'Nodes' }],
    references: [field],
    tasks: { off: [custom('drain', drain, { destructive: true }), clearField(field)] },
  });
  expect(JSON.parse(JSON.stringify(object))).toEqual(object);
  expect(object.metadata).toEqual({ name: 'fastpath', namespace: 'acme' });
  expect(object.spec.tasks?.off?.map(({ kind }) => kind)).toEqual(['drain', 'ClearField']);
  expect(object.spec.components[0]).toEqual({ name: 'operator', required: true, roster: 'Self' });
  expect(tasks.map(({ kind, destructive }) => [kind, destructive])).toEqual([['drain', true]]);
});

test('defineFeature() throws everything that is wrong at once', () => {
  const define = () => defineFeature({ gate: 'Fast_Path', components: [] });
  expect(define).toThrow(DefinitionError);
  expect(define).toThrow(/not a valid object name; .*at least one component/);
});

/** Written by `tools/kubernetes-gates.mjs`. */
const facts = new URL('../releases/kubernetes-gates.json', import.meta.url);
test('builtInDefinitions() have the stages and components that upstream has', () => {
  interface Gate {
    readonly stages: readonly { version: string; stage: string; default: boolean }[];
    readonly components: readonly string[];
  }
  const { gates } = JSON.parse(readFileSync(facts, 'utf8')) as { gates: Record<string, Gate> };
  // The others are of no release that the facts know: one is older, one is our own.
  const known = builtInDefinitions().filter(({ object }) => gates[object.spec.gate] !== undefined);
  expect(known.map(({ object }) => object.spec.gate)).toEqual(['MaxUnavailableStatefulSet', 'ImageVolume']);
  for (const { object } of known) {
    const upstream = gates[object.spec.gate];
    const stages = upstream?.stages.map(({ version, stage, default: value }) => [version, stage, value]);
    expect(object.spec.stages?.map(({ version, stage, default: value }) => [version, stage, value])).toEqual(stages);
    expect(object.spec.components.map(({ name }) => name)).toEqual(upstream?.components);
  }
});
