import { CustomResourceDefinition, type KubeObject } from '@slipway/kube';
import { expect, test } from 'vitest';
import { builtInTasks, TaskCatalog } from '../catalogue/task-catalog.js';
import { aCluster } from '../testing/a-cluster.js';
import { aDefinition } from '../testing/a-situation.js';
import { aTaskContext } from '../testing/a-task-context.js';
import { hideField, showField } from './hide-field.js';
import { installCrd, removeCrd } from './install-crd.js';

const ours = { 'features.slipway.dev/owned-by': 'acme.widgets' };
const aCrd = (versions: readonly object[], more: object = {}): KubeObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.acme.io' },
  spec: { group: 'acme.io', names: { plural: 'widgets', kind: 'Widget' }, versions, ...more },
});
const v1 = { name: 'v1', served: true, storage: true };
const established = ['NamesAccepted', 'Established'].map((type) => ({ type, status: 'True' }));

function withCrd(stored?: KubeObject) {
  const cluster = aCluster();
  if (stored) cluster.api.seed(CustomResourceDefinition, stored);
  const run = (task: typeof installCrd, args: object) =>
    task.run(aTaskContext({ kind: task.kind, args: { ...args } }, { kube: cluster.kube }));
  const crd = () => cluster.api.stored(CustomResourceDefinition)[0];
  return { cluster, run, crd };
}

test('installCrd() makes the CRD its own and waits until it is served', async () => {
  const { cluster, run, crd } = withCrd();
  expect(await run(installCrd, { crd: aCrd([v1]) })).toMatchObject({ kind: 'waiting', reason: 'NotEstablished' });
  expect(crd()?.metadata.labels).toEqual(ours);
  cluster.api.seed(CustomResourceDefinition, { ...(crd() as KubeObject), status: { conditions: established } });
  expect(await run(installCrd, { crd: aCrd([v1]) })).toEqual({ kind: 'done', objects: 1 });
});

test('installCrd() and removeCrd() leave a CRD of another owner alone', async () => {
  const { run, crd } = withCrd(aCrd([v1]));
  expect(await run(installCrd, { crd: aCrd([v1]) })).toMatchObject({ kind: 'blocked', reason: 'NotOurs' });
  expect(await run(removeCrd, { name: 'widgets.acme.io' })).toMatchObject({ kind: 'blocked', reason: 'NotOurs' });
  expect(crd()?.metadata.labels).toBeUndefined();
});

test('installCrd() keeps versions that objects may be stored in', async () => {
  const alpha = aCrd([{ ...v1, name: 'v1alpha1' }]);
  const status = { storedVersions: ['v1alpha1'] };
  const { run } = withCrd({ ...alpha, metadata: { ...alpha.metadata, labels: ours }, status });
  const outcome = await run(installCrd, { crd: aCrd([v1]) });
  expect(outcome).toMatchObject({
    kind: 'blocked',
    reason: 'StoredVersions',
    message: expect.stringContaining('v1alpha1'),
  });
});

test('removeCrd() waits until no object is left', async () => {
  const { cluster, run, crd } = withCrd({
    ...aCrd([v1]),
    metadata: { name: 'widgets.acme.io', uid: 'u', labels: ours },
  });
  const metadata = { name: 'w', namespace: 'default' };
  cluster.api.seed({ group: 'acme.io', plural: 'widgets' }, { apiVersion: 'acme.io/v1', kind: 'Widget', metadata });
  const args = { name: 'widgets.acme.io' };
  expect(await run(removeCrd, args)).toMatchObject({ kind: 'blocked', reason: 'ObjectsRemain' });
  const widgets = { group: 'acme.io', version: 'v1', kind: 'Widget', plural: 'widgets', namespaced: true };
  await cluster.kube.resource(widgets).delete(metadata);
  expect(await run(removeCrd, args)).toEqual({ kind: 'done', objects: 1 });
  expect(crd()).toBeUndefined();
  expect(await run(removeCrd, args)).toMatchObject({ result: 'Skipped' });
});

test('hideField() and showField() take a field out of the schema and put it back, required or not', async () => {
  const item = { type: 'object', required: ['fast', 'size'], properties: { fast: { type: 'boolean' }, size: {} } };
  const spec = { type: 'object', properties: { items: { type: 'array', items: item } } };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
  const { run, crd } = withCrd(aCrd([{ ...v1, schema }]));
  const before = crd();
  const args = { crd: 'widgets.acme.io', path: 'spec.items[*].fast' };
  expect(await run(hideField, args)).toEqual({ kind: 'done', objects: 1 });
  const hidden = crd()?.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.items.items;
  expect(hidden).toEqual({ type: 'object', required: ['size'], properties: { size: {} } });
  expect(await run(hideField, args)).toMatchObject({ result: 'Skipped' });
  expect(await run(showField, args)).toEqual({ kind: 'done', objects: 1 });
  const shown = crd()?.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.items.items;
  expect({ ...shown, required: [...shown.required].sort() }).toEqual(item);
  expect(crd()?.metadata.annotations).toEqual(before?.metadata.annotations ?? {});
  expect(await run(showField, args)).toMatchObject({ result: 'Skipped' });
});

// what is wrong | kind | arguments | what is said
test.each([
  ['no CRD', 'InstallCRD', { crd: { kind: 'Pod' } }, 'not a CustomResourceDefinition with a name'],
  ['no stored version', 'InstallCRD', { crd: aCrd([]) }, 'exactly one version'],
  [
    'a conversion webhook',
    'InstallCRD',
    { crd: aCrd([v1], { conversion: { strategy: 'Webhook' } }) },
    'conversion webhook',
  ],
  ['an address', 'Webhook', { name: 'drain', url: 'https://acme.example' }, 'no argument url'],
  ['a pod template', 'Job', { name: 'drain', podTemplate: {} }, 'no argument podTemplate'],
  ['nothing', 'ClearCollection', {}, 'needs the arguments group, resource'],
  [
    'a collection that no plan counts',
    'ClearCollection',
    { group: '', resource: 'pods' },
    'not among the references with kind Object',
  ],
  [
    'a text for a list',
    'ClearCollection',
    { group: '', resource: 'pods', namespaces: 'all' },
    'namespaces of ClearCollection must be a list',
  ],
  ['a path that is none', 'WaitForNoObjects', { group: '', resource: 'pods', path: 'spec[' }, 'wrong at character 5'],
])('a task is refused when its definition is read: %s', (_what, kind, args, said) => {
  const task = new TaskCatalog(builtInTasks()).get(kind);
  expect(task?.check?.(args, aDefinition).join('\n')).toContain(said);
});

test('hideField() is refused before the proof that nothing is stored any more', () => {
  const args = { crd: 'widgets.acme.io', path: 'spec.fast' };
  const off = (phase?: 'AfterClean') => ({
    ...aDefinition,
    tasks: { off: [{ kind: 'HideField', args, ...(phase && { phase }) }] },
  });
  expect(hideField.check?.(args, off())).toEqual([expect.stringContaining('needs phase: AfterClean')]);
  expect(hideField.check?.(args, off('AfterClean'))).toEqual([]);
});
