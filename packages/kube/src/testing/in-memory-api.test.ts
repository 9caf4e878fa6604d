import { expect, test } from 'vitest';
import { Kube } from '../client/client.js';
import { inMemoryApi } from './in-memory-api.js';
import { aWidget, Widgets } from './widgets.js';

const ref = (name: string) => ({ name, namespace: 'default' });

test('inMemoryApi() deletes an object with finalizers only when the last one is gone', async () => {
  const api = inMemoryApi();
  const widgets = new Kube(api).resource(Widgets);
  await widgets.create({ ...aWidget('a'), metadata: { ...aWidget('a').metadata, finalizers: ['x/y'] } });
  await widgets.delete(ref('a'));
  expect((await widgets.get(ref('a'))).metadata.deletionTimestamp).toBeDefined();
  await widgets.merge(ref('a'), { metadata: { finalizers: null } });
  expect(await widgets.find(ref('a'))).toBeUndefined();
});

test('inMemoryApi() shows what enters and leaves a selection as ADDED and DELETED', async () => {
  const api = inMemoryApi();
  const widgets = new Kube(api).resource(Widgets);
  await widgets.create(aWidget('a', { labels: { on: 'yes' } }));
  const seen: string[] = [];
  const stop = new AbortController();
  const watching = (async () => {
    for await (const { type, object } of widgets.watch(
      { labelSelector: 'on=yes', resourceVersion: '2' },
      stop.signal,
    )) {
      seen.push(`${type} ${object.metadata.resourceVersion}`);
    }
  })();
  await widgets.merge(ref('a'), { metadata: { labels: { on: 'no' } } });
  await widgets.merge(ref('a'), { spec: { size: 5 } });
  await widgets.merge(ref('a'), { metadata: { labels: { on: 'yes' } } });
  await widgets.merge(ref('a'), { spec: { size: 6 } });
  await widgets.delete(ref('a'));
  await new Promise((resolve) => setImmediate(resolve));
  stop.abort();
  await watching;
  expect(seen).toEqual(['DELETED 3', 'ADDED 5', 'MODIFIED 6', 'DELETED 7']);
});

test('inMemoryApi() raises the generation with the spec only, and refuses a create that exists or has a revision', async () => {
  const widgets = new Kube(inMemoryApi()).resource(Widgets);
  const created = await widgets.create(aWidget('a'));
  const labelled = await widgets.merge(ref('a'), { metadata: { labels: { a: 'b' } } });
  const resized = await widgets.merge(ref('a'), { spec: { size: 7 } });
  expect([created, labelled, resized].map(({ metadata }) => metadata.generation)).toEqual([1, 1, 2]);
  await expect(widgets.create(aWidget('a'))).rejects.toMatchObject({ reason: 'AlreadyExists' });
  await expect(widgets.create(resized)).rejects.toMatchObject({ code: 400 });
});

test('inMemoryApi() answers a selector it cannot read with 400', async () => {
  const widgets = new Kube(inMemoryApi()).resource(Widgets);
  await expect(widgets.list({ labelSelector: 'a b' })).rejects.toMatchObject({ code: 400, reason: 'BadRequest' });
});
