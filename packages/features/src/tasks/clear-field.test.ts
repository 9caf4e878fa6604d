import { failureStatus, type KubeObject, type KubeRequest, StatusError } from '@slipway/kube';
import { expect, test } from 'vitest';
import type { TaskArgs } from '../api/feature.js';
import { listBackups } from '../operations/backups.js';
import { restoreBackup } from '../operations/restore.js';
import { aCluster, type TestCluster } from '../testing/a-cluster.js';
import { aTaskContext } from '../testing/a-task-context.js';
import { clearFieldTask } from './clear-field.js';
import type { TaskContext } from './task-context.js';

const widgets = { group: 'acme.io', plural: 'widgets' };
const field = { group: 'acme.io', resource: 'widgets', path: 'spec.fast' };

function aWidget(name: string, spec: object, metadata: object = {}): KubeObject {
  return { apiVersion: 'acme.io/v1', kind: 'Widget', metadata: { name, namespace: 'acme', ...metadata }, spec };
}

/** What ClearField is given, with checkpoints kept in `saved`. */
function contextOf(cluster: TestCluster, args: object, pageSize = 500, before?: (request: KubeRequest) => void) {
  const saved: string[] = [];
  const kube = cluster.client(before);
  const context = aTaskContext(
    { kind: 'ClearField', args: args as TaskArgs },
    {
      kube,
      clock: kube.clock,
      spec: { pace: { pageSize, qps: 1000, burst: 1000 } },
      definition: { gate: 'Widgets', scope: 'Cluster', components: [] },
      save: async (checkpoint) => void saved.push(checkpoint),
    },
  );
  return { context, saved };
}

const specs = (cluster: TestCluster) => cluster.api.stored(widgets).map(({ spec }) => spec);
const patches = ({ api }: TestCluster) => api.requests.filter(({ method }) => method === 'PATCH').length;

test('ClearField takes the field out of every object that has it and touches no other', async () => {
  const cluster = aCluster();
  cluster.api.seed(
    widgets,
    aWidget('a', { fast: true, size: 1 }),
    aWidget('b', { size: 2 }),
    aWidget('c', { fast: null }),
  );
  const { context } = contextOf(cluster, field);
  expect(await clearFieldTask.run(context)).toEqual({ kind: 'done', objects: 2 });
  expect(specs(cluster)).toEqual([{ size: 1 }, { size: 2 }, {}]);
  expect(patches(cluster)).toBe(2);
});

test('ClearField removes list items from the end, and parents that it leaves empty where it was told', async () => {
  const cluster = aCluster();
  const items = [{ fast: 1 }, { fast: 2, keep: true }, { fast: 3 }];
  cluster.api.seed(widgets, aWidget('a', { items, only: { fast: 1 }, kept: { fast: 1 } }));
  await clearFieldTask.run(contextOf(cluster, { ...field, path: 'spec.items[*].fast' }).context);
  expect(specs(cluster)[0].items).toEqual([{}, { keep: true }, {}]);
  await clearFieldTask.run(contextOf(cluster, { ...field, path: 'spec.only.fast', pruneEmpty: ['spec.only'] }).context);
  await clearFieldTask.run(contextOf(cluster, { ...field, path: 'spec.kept.fast' }).context);
  expect(specs(cluster)[0]).toEqual({ items: [{}, { keep: true }, {}], kept: {} });
});

test('ClearField reads an object again that another client was faster to write, and keeps what it held then', async () => {
  const cluster = aCluster();
  cluster.api.seed(widgets, aWidget('a', { fast: 1, size: 1 }));
  let raced = false;
  const { context } = contextOf(cluster, field, 500, ({ method, path }) => {
    if (raced || method !== 'PATCH' || !path.includes('widgets/a')) return;
    raced = true;
    cluster.api.seed(widgets, { ...(cluster.api.stored(widgets)[0] as KubeObject), spec: { fast: 2, size: 9 } });
  });
  expect(await clearFieldTask.run(context)).toEqual({ kind: 'done', objects: 1 });
  expect(specs(cluster)).toEqual([{ size: 9 }]);
  const restored = await restoreBackup(cluster.kube, { namespace: 'acme', feature: 'widgets', transition: '4-abcd' });
  expect(restored.restored).toBe(1);
  expect(specs(cluster)).toEqual([{ fast: 2, size: 9 }]);
});

test('ClearField goes on beside objects that the API refuses to change, and then asks for a person', async () => {
  const cluster = aCluster();
  cluster.api.seed(widgets, ...['a', 'b', 'c'].map((name) => aWidget(name, { fast: 1 })));
  const { context } = contextOf(cluster, field, 500, ({ method, path }) => {
    if (method !== 'PATCH' || !path.includes('widgets/b')) return;
    const message = 'admission webhook "no.acme.io" denied the request';
    throw new StatusError(failureStatus({ code: 403, reason: 'Forbidden', message }));
  });
  const outcome = await clearFieldTask.run(context);
  expect(outcome).toMatchObject({
    kind: 'blocked',
    reason: 'Refused',
    checkpoint: expect.stringContaining('"cleared":2'),
    dangling: { count: 1, complete: false, samples: [{ resource: 'widgets.acme.io', name: 'b', path: 'spec.fast' }] },
  });
  expect(outcome).toHaveProperty('message', expect.stringContaining('1 objects of widgets could not be changed'));
  expect(specs(cluster)).toEqual([{}, { fast: 1 }, {}]);
});

test('ClearField writes down every page but the last, and goes on from what was written down', async () => {
  const cluster = aCluster();
  cluster.api.seed(widgets, ...[...'abcdefg'].map((name) => aWidget(name, { fast: 1 })));
  const { context, saved } = contextOf(cluster, field, 3);
  expect(await clearFieldTask.run(context)).toEqual({ kind: 'done', objects: 7 });
  expect(saved.map((text) => JSON.parse(text).seen)).toEqual([3, 6]);

  cluster.api.seed(widgets, ...[...'abcdefg'].map((name) => aWidget(name, { fast: 2 })));
  const start = await cluster.kube
    .resource({ ...widgets, version: 'v1', kind: 'Widget', namespaced: true })
    .list({ limit: 3 });
  const task = {
    ...context.task,
    checkpoint: JSON.stringify({ next: start.continue, seen: 3, cleared: 3, refused: 0 }),
  };
  expect(await clearFieldTask.run({ ...context, task })).toEqual({ kind: 'done', objects: 7 });
  expect(specs(cluster).map(({ fast }) => fast)).toEqual([2, 2, 2, undefined, undefined, undefined, undefined]);
});

test('ClearField starts a new list when the old one has expired', async () => {
  const cluster = aCluster();
  cluster.api.seed(widgets, ...[...'abcd'].map((name) => aWidget(name, { fast: 1 })));
  const { context } = contextOf(cluster, field, 2);
  let pages = 0;
  const expiring: TaskContext = {
    ...context,
    save: async () => {
      if (++pages === 1) cluster.api.compact();
    },
  };
  expect(await clearFieldTask.run(expiring)).toMatchObject({ kind: 'done', objects: 4 });
  expect(specs(cluster)).toEqual([{}, {}, {}, {}]);
});

test('ClearField stops before it takes what does not fit into a backup, unless the backup was given up', async () => {
  const cluster = aCluster();
  const fast = 'x'.repeat(600 * 1024);
  cluster.api.seed(widgets, ...[...'abcdefghij'].map((name) => aWidget(name, { fast })));
  expect(await clearFieldTask.run(contextOf(cluster, field).context)).toMatchObject({
    kind: 'blocked',
    reason: 'BackupTooLarge',
  });
  expect(patches(cluster)).toBe(0);
  const without = contextOf(cluster, { ...field, backup: 'None' }).context;
  expect(await clearFieldTask.run(without)).toEqual({ kind: 'done', objects: 10 });
});

test('ClearField is over at once when the server has no such resource', async () => {
  const { context } = contextOf(aCluster(), { ...field, resource: 'gadgets' });
  expect(await clearFieldTask.run(context)).toEqual({ kind: 'done', result: 'Skipped', objects: 0 });
});

test('restoreBackup() puts values back where the field is absent, and only there', async () => {
  const cluster = aCluster();
  const items = [
    { name: 'x', fast: 1 },
    { name: 'y', fast: 2 },
  ];
  cluster.api.seed(widgets, ...[...'abcd'].map((name) => aWidget(name, { items })));
  await clearFieldTask.run(contextOf(cluster, { ...field, path: 'spec.items[*].fast' }).context);
  const [, b, c, d] = cluster.api.stored(widgets) as [KubeObject, KubeObject, KubeObject, KubeObject];
  // b was reordered, c has a value again, d was deleted and made anew.
  cluster.api.seed(widgets, { ...b, spec: { items: [{ name: 'y' }, { name: 'x' }] } });
  cluster.api.seed(widgets, { ...c, spec: { items: [{ name: 'x', fast: 7 }, { name: 'y' }] } });
  cluster.api.seed(widgets, { ...d, metadata: { ...d.metadata, uid: 'another' } });

  expect(await listBackups(cluster.kube, { namespace: 'acme', feature: 'widgets' })).toMatchObject([
    { transition: '4-abcd', values: 8 },
  ]);
  const restore = () => restoreBackup(cluster.kube, { namespace: 'acme', feature: 'widgets', transition: '4-abcd' });
  expect(await restore()).toEqual({ total: 8, restored: 5, present: 1, gone: 2, left: [] });
  expect(specs(cluster).map((spec) => spec.items)).toEqual([
    items,
    [items[1], items[0]],
    [{ name: 'x', fast: 7 }, items[1]],
    [{ name: 'x' }, { name: 'y' }],
  ]);
  expect(await restore()).toMatchObject({ restored: 0, present: 6, gone: 2 });
});

test('a default is neither cleared nor in the way of a restore, unless a user chose it since', async () => {
  const cluster = aCluster();
  cluster.api.seed(widgets, ...[...'abcd'].map((name) => aWidget(name, { fast: name === 'd' ? 1 : 5 })));
  const { context } = contextOf(cluster, field);
  const references = [{ ...field, default: 1 }];
  const outcome = await clearFieldTask.run({ ...context, definition: { ...context.definition, references } });
  expect(outcome).toEqual({ kind: 'done', objects: 3 });
  expect(specs(cluster)).toEqual([{}, {}, {}, { fast: 1 }]);

  // The gate is on again: a reads as the default without an owner, the default of b has an owner, c has a newer value.
  const [a, b, c] = cluster.api.stored(widgets) as [KubeObject, KubeObject, KubeObject];
  const managedFields = [{ manager: 'kubectl', operation: 'Apply', fieldsV1: { 'f:spec': { 'f:fast': {} } } }];
  cluster.api.seed(widgets, { ...a, spec: { fast: 1 } });
  cluster.api.seed(widgets, { ...b, spec: { fast: 1 }, metadata: { ...b.metadata, managedFields } });
  cluster.api.seed(widgets, { ...c, spec: { fast: 7 } });
  const restored = await restoreBackup(cluster.kube, { namespace: 'acme', feature: 'widgets', transition: '4-abcd' });
  expect(restored).toEqual({ total: 3, restored: 1, present: 2, gone: 0, left: [] });
  expect(specs(cluster)).toEqual([{ fast: 5 }, { fast: 1 }, { fast: 7 }, { fast: 1 }]);
});
