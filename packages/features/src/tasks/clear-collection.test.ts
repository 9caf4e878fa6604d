import { expect, test } from 'vitest';
import { aCluster } from '../testing/a-cluster.js';
import { aTaskContext } from '../testing/a-task-context.js';
import { clearCollection } from './clear-collection.js';

const widgets = { group: 'acme.io', plural: 'widgets' };

function withWidgets(...names: readonly string[]) {
  const cluster = aCluster();
  for (const text of names) {
    const [namespace = '', name = '', finalizer] = text.split('/');
    const metadata = { name, namespace, uid: text, ...(finalizer && { finalizers: [finalizer] }) };
    cluster.api.seed(widgets, { apiVersion: 'acme.io/v1', kind: 'Widget', metadata });
  }
  const run = (args: object = {}, checkpoint?: string) =>
    clearCollection.run(
      aTaskContext(
        {
          kind: 'ClearCollection',
          args: { group: 'acme.io', resource: 'widgets', ...args },
          ...(checkpoint && { checkpoint }),
        },
        { kube: cluster.kube, clock: cluster.clock },
      ),
    );
  const left = () => cluster.api.stored(widgets).map(({ metadata }) => metadata.name);
  return { cluster, run, left };
}

test('clearCollection() deletes what is there, by name and uid', async () => {
  const { cluster, run, left } = withWidgets('a/one', 'b/two');
  expect(await run()).toEqual({ kind: 'done', objects: 2 });
  expect(left()).toEqual([]);
  const deletes = cluster.api.requests.filter(({ method }) => method === 'DELETE');
  expect(deletes.map(({ body }) => body)).toMatchObject([
    { preconditions: { uid: 'a/one' }, propagationPolicy: 'Background' },
    { preconditions: { uid: 'b/two' }, propagationPolicy: 'Background' },
  ]);
});

test('clearCollection() leaves other namespaces alone when some are named', async () => {
  const { run, left } = withWidgets('a/one', 'b/two');
  expect(await run({ namespaces: ['a'] })).toEqual({ kind: 'done', objects: 1 });
  expect(left()).toEqual(['two']);
});

test('clearCollection() waits for finalizers, and after ten minutes names them to a person', async () => {
  const { cluster, run, left } = withWidgets('a/held/acme.io/hold');
  const first = await run();
  expect(first).toMatchObject({ kind: 'waiting', reason: 'Deleting', checkpoint: '1' });
  await cluster.clock.advance(601_000);
  const later = await run({}, '1');
  expect(later).toMatchObject({
    ...{ kind: 'blocked', reason: 'Finalizers', checkpoint: '1' },
    dangling: { samples: [{ resource: 'widgets.acme.io', path: '' }] },
  });
  expect(later).toMatchObject({ message: '1 widgets are still there in v1: a/held (held by acme.io)' });
  expect(left()).toEqual(['held']);
});
