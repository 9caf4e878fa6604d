import { admin, aServer, aWatch, named } from '@slipway/devcluster/testing/a-server';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DefinitionRegistry } from '../registry/definition-registry.js';

const maps = '/api/v1/namespaces/default/configmaps';
const merge = { 'content-type': 'application/merge-patch+json' };

function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}

const step = fc.record({
  verb: fc.constantFrom('create', 'label', 'delete'),
  name: fc.constantFrom('a', 'b', 'c'),
  label: fc.constantFrom('in', 'out'),
});

test('whoever lists and then watches ends up with what a new list shows, whatever the selector and the moment', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 25 }),
      fc.nat(25),
      fc.constantFrom(
        '',
        'labelSelector=k%3Din',
        'fieldSelector=metadata.name%3Da',
        'labelSelector=k%3Din&fieldSelector=metadata.name!%3Da',
      ),
      async (steps, begin, selector) => {
        const { api, ask } = await aServer();
        const cache = new Map<string, string>();
        let watch: Awaited<ReturnType<typeof aWatch>> | undefined;
        for (const [index, { verb, name, label }] of steps.entries()) {
          if (index === begin) {
            const { body } = await ask('GET', `${maps}?${selector}`);
            for (const { metadata } of body.items) cache.set(metadata.name, metadata.resourceVersion);
            watch = await aWatch(
              api,
              `${maps}?watch=true&resourceVersion=${body.metadata.resourceVersion}&${selector}`,
            );
          }
          const labels = { k: label };
          if (verb === 'create') await ask('POST', maps, { ...named('ConfigMap', name), metadata: { name, labels } });
          else if (verb === 'label') await ask('PATCH', `${maps}/${name}`, { metadata: { labels } }, merge);
          else await ask('DELETE', `${maps}/${name}`);
        }
        await settle();
        if (!watch) return;
        for (const { type, object } of watch.frames) {
          const { name, resourceVersion } = object.metadata;
          expect(cache.has(name)).toBe(type !== 'ADDED');
          if (type === 'DELETED') cache.delete(name);
          else cache.set(name, resourceVersion);
        }
        const { body } = await ask('GET', `${maps}?${selector}`);
        const listed = body.items.map((item: { metadata: { name: string; resourceVersion: string } }) => [
          item.metadata.name,
          item.metadata.resourceVersion,
        ]);
        expect([...cache].sort()).toEqual(listed.sort());
        watch.close();
      },
    ),
    { numRuns: 60 },
  );
});

test('a watch without a version begins with what there is', async () => {
  const { api, ask } = await aServer();
  await ask('POST', maps, named('ConfigMap', 'there'));
  const watch = await aWatch(api, `${maps}?watch=true`);
  await ask('POST', maps, named('ConfigMap', 'later'));
  await settle();
  expect(watch.frames.map(({ type, object }) => `${type} ${object.metadata.name}`)).toEqual([
    'ADDED there',
    'ADDED later',
  ]);
});

test('a watch that asks for bookmarks gets one a minute, near its end, and none otherwise', async () => {
  const { api, clock } = await aServer();
  const path = `${maps}?watch=true&resourceVersion=1&timeoutSeconds=150`;
  const marked = await aWatch(api, `${path}&allowWatchBookmarks=true`);
  const plain = await aWatch(api, path);
  await clock.advance(149_000);
  expect(marked.frames.map(({ type }) => type)).toEqual(['BOOKMARK', 'BOOKMARK', 'BOOKMARK']);
  expect(marked.frames[0]?.object).toMatchObject({
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { resourceVersion: '1' },
  });
  expect(plain.frames).toEqual([]);
  await clock.advance(1_000);
  expect([marked.state.ended, plain.state.ended]).toEqual([true, true]);
});

test('a watch ends by itself within an hour', async () => {
  const { api, clock } = await aServer();
  const watch = await aWatch(api, `${maps}?watch=true`);
  await clock.advance(29 * 60_000);
  expect(watch.state.ended).toBe(false);
  await clock.advance(31 * 60_000);
  expect(watch.state.ended).toBe(true);
});

test('a list by watching says when it is complete, also when there is nothing', async () => {
  const { api, ask } = await aServer();
  const path = `${maps}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`;
  const empty = await aWatch(api, path);
  await ask('POST', maps, named('ConfigMap', 'c'));
  const full = await aWatch(api, path);
  const shown = (watch: typeof empty) =>
    watch.frames.map(
      ({ type, object }) => `${type} ${object.metadata.annotations?.['k8s.io/initial-events-end'] ?? ''}`,
    );
  await settle();
  expect(shown(empty)).toEqual(['BOOKMARK true', 'ADDED ']);
  expect(shown(full)).toEqual(['ADDED ', 'BOOKMARK true']);
});

test('a version from the future is waited for, then refused in the stream', async () => {
  const { api, clock } = await aServer();
  const watch = await aWatch(api, `${maps}?watch=true&resourceVersion=999`);
  await clock.advance(2_000);
  expect(watch.frames).toEqual([]);
  await clock.advance(1_000);
  expect(watch.frames).toMatchObject([{ type: 'ERROR', object: { code: 504, reason: 'Timeout' } }]);
  expect(watch.state.ended).toBe(true);
});

test('a version that is forgotten is refused in the stream, so that the client lists again', async () => {
  const { api, ask, clock } = await aServer({ events: 2, ageMs: 1_000, bytes: 1 << 20 });
  const { body } = await ask('GET', maps);
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    await ask('POST', maps, named('ConfigMap', name));
    await clock.advance(1_000);
  }
  const since = body.metadata.resourceVersion;
  const watch = await aWatch(api, `${maps}?watch=true&resourceVersion=${since}`);
  expect(watch.frames).toMatchObject([{ type: 'ERROR', object: { code: 410, reason: 'Expired' } }]);
  expect(watch.state.ended).toBe(true);
  // In brackets: from where on a watch would be whole.
  const [, oldest] = /^too old resource version: \d+ \((\d+)\)$/.exec(watch.frames[0]?.object.message) ?? [];
  const next = await aWatch(api, `${maps}?watch=true&resourceVersion=${oldest}`);
  expect(next.frames.map(({ type }) => type)).toEqual(['ADDED', 'ADDED']);
});

test('tables on a watch name their columns once', async () => {
  const { api, ask } = await aServer();
  await ask('POST', maps, named('ConfigMap', 'a'));
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
  const watch = await aWatch(api, `${maps}?watch=true`, { accept });
  await ask('POST', maps, named('ConfigMap', 'b'));
  await settle();
  const [first, second] = watch.frames;
  expect(first?.object.columnDefinitions.map(({ name }: { name: string }) => name)).toEqual(['Name', 'Data', 'Age']);
  expect(second?.object.columnDefinitions).toBeNull();
  expect(second?.object.rows[0].cells[0]).toBe('b');
});

test('a watch of metadata shows the metadata that whole objects have, to the last event', async () => {
  const { api, ask } = await aServer();
  const bare = await aWatch(api, `${maps}?watch=true`, {
    accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  });
  const whole = await aWatch(api, `${maps}?watch=true`);
  await ask('POST', maps, named('ConfigMap', 'a'));
  await ask('PATCH', `${maps}/a`, { metadata: { labels: { x: 'y' } } }, merge);
  await ask('DELETE', `${maps}/a`);
  await settle();
  expect(bare.frames).toHaveLength(3);
  expect(bare.frames).toEqual(
    whole.frames.map(({ type, object: { metadata } }) => ({
      type,
      object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata },
    })),
  );
});

test('watches of a definition that changes end, others go on', async () => {
  const { api, clock } = await aServer();
  const maps1 = await aWatch(api, `${maps}?watch=true`);
  const pods = await aWatch(api, '/api/v1/pods?watch=true');
  const registry = api.definitions;
  expect(registry).toBeInstanceOf(DefinitionRegistry);
  registry.replace('', 'configmaps', []);
  await clock.advance(200);
  expect([maps1.state.ended, pods.state.ended]).toEqual([true, false]);
  const gone = await api.handle({ method: 'GET', path: maps, headers: {}, user: admin });
  expect(gone.status).toBe(404);
});

test('a watch that was asked for before the server stops and begins after that ends at once', async () => {
  const { api } = await aServer();
  const answer = await api.handle({ method: 'GET', path: `${maps}?watch=true`, headers: {}, user: admin });
  api.drain();
  const heard: string[] = [];
  if (answer.payload?.kind !== 'watch') throw new Error('no watch');
  answer.payload.open({ event: ({ type }) => void heard.push(type), end: () => void heard.push('end') });
  expect(heard).toEqual(['end']);
});
