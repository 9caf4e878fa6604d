import { failureStatus, type KubeObject, type KubeRequest, StatusError } from '@slipway/kube';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Feature, FeatureStatus, PlannedTask, TaskArgs } from '../api/feature.js';
import type { Reference } from '../api/feature-definition.js';
import { apiVersion, labels } from '../api/group.js';
import type { Scope } from '../api/scope.js';
import { begin, replan, settle } from '../lifecycle/transition.js';
import type { BackupEntry } from '../tasks/backup.js';
import { clearFieldTask } from '../tasks/clear-field.js';
import { SupersededError } from '../tasks/task.js';
import { aCluster, type TestCluster } from '../testing/a-cluster.js';
import { aTaskContext } from '../testing/a-task-context.js';
import { deleteBackup, listBackups } from './backups.js';
import { restoreBackup } from './restore.js';

const widgets = { group: 'acme.io', plural: 'widgets' };
const args: TaskArgs = { group: 'acme.io', resource: 'widgets', path: 'spec.fast' };
const plan: readonly PlannedTask[] = [{ name: 'ClearField', kind: 'ClearField', args, argsDigest: 'd' }];
const where = { namespace: 'acme', feature: 'widgets' };

function aWidget(index: number, fast: unknown): KubeObject {
  const metadata = { name: `w-${index}`, namespace: 'acme' };
  return { apiVersion: 'acme.io/v1', kind: 'Widget', metadata, spec: { fast } };
}

function seed(cluster: TestCluster, count: number): void {
  cluster.api.seed(widgets, ...Array.from({ length: count }, (_none, index) => aWidget(index, index)));
}

const values = (cluster: TestCluster) => cluster.api.stored(widgets).map(({ spec }) => spec.fast);

/** Runs ClearField for the transition of a status; it is superseded after `pages` pages of two objects. */
async function clear(
  cluster: TestCluster,
  status: FeatureStatus,
  pages: number,
  before?: (request: KubeRequest) => void,
) {
  let left = pages;
  const { transition } = status;
  if (!transition) throw new Error('no transition');
  const spec = { gate: 'Widgets', pace: { pageSize: 2, qps: 1000, burst: 1000 } };
  const context = aTaskContext(
    { kind: 'ClearField', args },
    {
      kube: cluster.client(before),
      feature: {
        apiVersion,
        kind: 'Feature',
        metadata: { name: 'widgets', namespace: 'acme' },
        spec,
        status,
      } as Feature,
      transition,
      save: async () => {
        if (--left <= 0) throw new SupersededError(transition.id);
      },
    },
  );
  await clearFieldTask.run(context).catch((error: unknown) => {
    if (!(error instanceof SupersededError)) throw error;
  });
}

test('restoreBackup() gives back everything that was cleared since the feature was On, however often plans changed', async () => {
  const change = fc.constantFrom('replan', 'flip', 'clean');
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(change, fc.integer({ min: 1, max: 4 })), { maxLength: 5 }), async (story) => {
      const cluster = aCluster();
      seed(cluster, 9);
      const before = values(cluster);
      let ids = 0;
      const start = (status: FeatureStatus, to: 'On' | 'Off') =>
        begin(status, { id: `t-${ids++}`, to, cause: '', plan, nowMs: 0 });
      let status = start({ state: 'On', transitions: 3 }, 'Off');
      await clear(cluster, status, 2);
      for (const [what, pages] of story) {
        if (what === 'replan') status = replan(status, `t-${ids++}`, plan, 0);
        if (what === 'flip') status = start(start(status, 'On'), 'Off');
        if (what === 'clean') {
          const { transition, ...rest } = status;
          status = start(
            settle({ ...rest, ...(transition && { transition: { ...transition, tasks: [] } }) }, 0),
            'Off',
          );
        }
        await clear(cluster, status, pages);
      }
      await clear(cluster, status, 99);
      expect(values(cluster)).toEqual(before.map(() => undefined));
      const [newest, ...others] = await listBackups(cluster.kube, where);
      expect(others).toEqual([]);
      const result = await restoreBackup(cluster.kube, { ...where, transition: newest?.transition ?? '' });
      expect(result).toEqual({ total: 9, restored: 9, present: 0, gone: 0, left: [] });
      expect(values(cluster)).toEqual(before);
    }),
  );
});

test('a backup of another time that the feature was On is another backup', () => {
  const off = begin({ state: 'On' }, { id: 'a', to: 'Off', cause: '', plan: [], nowMs: 0 });
  const on = begin(settle(off, 0), { id: 'b', to: 'On', cause: '', plan: [], nowMs: 0 });
  expect([off.backup, on.backup]).toEqual(['a', 'a']);
  const again = begin(settle(on, 0), { id: 'c', to: 'Off', cause: '', plan: [], nowMs: 0 });
  expect(again.backup).toBe('c');
  expect(settle(again, 0).history?.map(({ id, backup }) => [id, backup])).toEqual([
    ['c', undefined],
    ['b', 'a'],
    ['a', undefined],
  ]);
});

/** A cluster whose backup `t` holds the values of `count` widgets, none of which has one. */
async function cleared(count: number): Promise<TestCluster> {
  const cluster = aCluster();
  seed(cluster, count);
  await clear(cluster, begin({ state: 'On' }, { id: 't', to: 'Off', cause: '', plan, nowMs: 0 }), 999);
  return cluster;
}

test('restoreBackup() lists objects instead of reading them one by one, and reports its progress', async () => {
  const cluster = await cleared(60);
  const before = cluster.api.requests.length;
  const seen: number[] = [];
  const onProgress = (done: number) => seen.push(done);
  expect(await restoreBackup(cluster.kube, { ...where, transition: 't', onProgress })).toMatchObject({ restored: 60 });
  expect(seen).toEqual(Array.from({ length: 60 }, (_none, index) => index + 1));
  const reads = cluster.api.requests
    .slice(before)
    .filter(({ method, path }) => method === 'GET' && path.includes('/acme.io/'));
  expect(reads).toHaveLength(1);
});

/** The answer to a write that a guard denies. */
const denied = invalid(
  "ValidatingAdmissionPolicy 'slipway-guard-acme-widgets-0a1b2c3d' with binding ... denied request: no",
);

// how long the guard denies, in milliseconds | how many of 40 values are restored
const guardings: [number, number][] = [
  [3_000, 40],
  [Number.POSITIVE_INFINITY, 0],
];
test.each(guardings)('restoreBackup() waits for a removed guard that denies for %d ms more', async (ms, restored) => {
  const cluster = await cleared(40);
  const fromMs = cluster.clock.monotonicMs();
  const guarded = cluster.client(({ method }) => {
    if (method === 'PATCH' && cluster.clock.monotonicMs() < fromMs + ms) throw denied;
  });
  const restoring = restoreBackup(guarded, { ...where, transition: 't' });
  let result: Awaited<typeof restoring> | undefined;
  void restoring.then((all) => {
    result = all;
  });
  while (!result) await cluster.clock.advance(50);
  expect(result).toMatchObject({ total: 40, restored });
  expect(result.left.map(({ reason }) => reason)).toEqual(Array(40 - restored).fill('Rejected'));
  expect(cluster.clock.monotonicMs() - fromMs).toBeLessThan(11_000);
});

test('restoreBackup() names what is left when an object is rejected and when the cluster goes away', async () => {
  const cluster = await cleared(8);
  const rejecting = cluster.client(({ method, path }) => {
    if (method === 'PATCH' && path.endsWith('/w-3')) throw rejected;
  });
  const first = await restoreBackup(rejecting, { ...where, transition: 't' });
  expect(first).toMatchObject({ restored: 7, left: [{ name: 'w-3', path: '/spec/fast', reason: 'Rejected' }] });
  expect(first).not.toHaveProperty('failure');

  const other = await cleared(8);
  let patches = 0;
  const failing = other.client(({ method }) => {
    if (method === 'PATCH' && ++patches > 4) throw new Error('the cluster is away');
  });
  const partial = await restoreBackup(failing, { ...where, transition: 't', inFlight: 2 });
  expect(partial).toMatchObject({ total: 8, restored: 4, failure: { message: 'the cluster is away' } });
  expect(partial.left.map(({ reason }) => reason)).toEqual(['NotTried', 'NotTried', 'NotTried', 'NotTried']);
  expect(await restoreBackup(other.kube, { ...where, transition: 't' })).toMatchObject({ restored: 4, present: 4 });
});

test('deleteBackup() deletes one backup and no other', async () => {
  const cluster = await cleared(2);
  cluster.api.seed(widgets, aWidget(0, 'again'));
  await clear(cluster, begin({ state: 'On' }, { id: 'u', to: 'Off', cause: '', plan, nowMs: 0 }), 9);
  expect((await listBackups(cluster.kube, where)).map(({ transition }) => transition).sort()).toEqual(['t', 'u']);
  await deleteBackup(cluster.kube, { ...where, transition: 't' });
  expect(await listBackups(cluster.kube)).toMatchObject([{ ...where, transition: 'u', values: 1 }]);
});

const rejected = invalid('it is immutable');

function invalid(message: string): StatusError {
  return new StatusError(failureStatus({ code: 422, reason: 'Invalid', message }));
}

// scope | where the backup is | who reads Secrets of the namespace of the Feature finds
test.each<[Scope, string, number]>([
  ['Namespace', 'acme', 1],
  ['Cluster', 'slipway-system', 0],
])('ClearField with scope %s keeps its backup in %s', async (scope, storedIn, found) => {
  const cluster = aCluster();
  const secrets = { group: '', plural: 'secrets' };
  cluster.api.seed(widgets, aWidget(0, 1));
  const definition = { gate: 'Widgets', scope, components: [], references: [args as unknown as Reference] };
  await clearFieldTask.run(aTaskContext({ kind: 'ClearField', args }, { kube: cluster.kube, definition }));
  expect(cluster.api.stored(secrets).map(({ metadata }) => metadata.namespace)).toEqual([storedIn]);
  expect(await listBackups(cluster.kube, where)).toMatchObject([{ ...where, values: 1 }]);
  const tenant = cluster.client(({ path }) => {
    if (path.startsWith('/api/v1/namespaces/slipway-system/')) throw forbidden;
  });
  expect(await listBackups(tenant, where)).toHaveLength(found);
  const server = cluster.client(({ path }) => {
    if (!path.startsWith(`/api/v1/namespaces/${storedIn}/`)) throw forbidden;
  });
  expect(await listBackups(server, { storedIn })).toMatchObject([where]);
});

test('a Secret says of which namespace it is a backup only in the namespace of the feature server', async () => {
  const cluster = aCluster();
  cluster.api.seed({ group: '', plural: 'secrets' }, aBackup('acme', [], { [labels.backupNamespace]: 'kube-system' }));
  expect(await listBackups(cluster.kube, { namespace: 'kube-system' })).toEqual([]);
  expect((await listBackups(cluster.kube)).map(({ namespace }) => namespace)).toEqual(['acme']);
});

// what a Secret next to the Feature holds | what becomes of it
test.each<[string, Partial<BackupEntry>, 'restored' | 'left']>([
  ['a value that the definition clears', {}, 'restored'],
  ['a value of another namespace', { namespace: 'shop' }, 'left'],
  ['a value of an object of no namespace', { namespace: undefined as unknown as string }, 'left'],
  ['another field', { place: ['spec', 'size'] }, 'left'],
  ['another resource', { resource: 'gadgets' }, 'left'],
])('restoreBackup() of %s: %j', async (_what, forged, outcome) => {
  const cluster = aCluster();
  const spec = { gate: 'Widgets', components: [], references: [args] };
  const metadata = { name: 'widgets', namespace: 'acme' };
  const definitions = { group: 'features.slipway.dev', plural: 'featuredefinitions' };
  cluster.api.seed(definitions, { apiVersion, kind: 'FeatureDefinition', metadata, spec });
  for (const namespace of ['acme', 'shop']) {
    for (const resource of [widgets, { ...widgets, plural: 'gadgets' }]) {
      const { metadata: named, ...widget } = aWidget(0, undefined);
      cluster.api.seed(resource, { ...widget, metadata: { ...named, namespace, uid: 'u' } });
    }
  }
  const entry = {
    group: 'acme.io',
    resource: 'widgets',
    namespace: 'acme',
    name: 'w-0',
    uid: 'u',
    place: ['spec', 'fast'],
  };
  cluster.api.seed({ group: '', plural: 'secrets' }, aBackup('acme', [{ ...entry, value: 7, ...forged }]));
  const before = cluster.api.revision;
  const result = await restoreBackup(cluster.kube, { ...where, transition: 't' });
  expect([result.restored, result.left.length]).toEqual(outcome === 'restored' ? [1, 0] : [0, 1]);
  expect(cluster.api.revision - before).toBe(outcome === 'restored' ? 1 : 0);
});

const forbidden = new StatusError(failureStatus({ code: 403, reason: 'Forbidden', message: 'secrets is forbidden' }));

function aBackup(namespace: string, entries: readonly BackupEntry[], more: Record<string, string> = {}): KubeObject {
  const marks = { [labels.backup]: 'widgets', [labels.transition]: 't', ...more };
  const data = {
    'values.ndjson': Buffer.from(entries.map((entry) => JSON.stringify(entry)).join('\n')).toString('base64'),
  };
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'widgets-t-0', namespace, labels: marks }, data };
}
