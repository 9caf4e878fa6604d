import { expect, test } from 'vitest';
import { inMemoryApi } from '../testing/in-memory-api.js';
import { aWidget, type Widget, Widgets } from '../testing/widgets.js';
import { failureStatus, hasReason, StatusError } from '../transport/status.js';
import type { KubeRequest, Transport } from '../transport/transport.js';
import { Kube } from './client.js';

function setUp() {
  const api = inMemoryApi();
  const widgets = new Kube(api, { fieldManager: 'tests' }).resource(Widgets);
  return { api, widgets };
}

const a = { name: 'a', namespace: 'default' };

test('get() throws the Status of the server, find() is undefined instead', async () => {
  const { widgets } = setUp();
  const error = await widgets.get(a).catch((error: unknown) => error);
  expect(hasReason(error, 'NotFound')).toBe(true);
  expect(error).toMatchObject({ code: 404, message: 'widgets.test.slipway.dev "a" not found' });
  expect(await widgets.find(a)).toBeUndefined();
});

test('every write names the field manager, and dryRun where asked for', async () => {
  const { api, widgets } = setUp();
  await widgets.create(aWidget('a'), { dryRun: true });
  expect(await widgets.find(a)).toBeUndefined();
  await widgets.create(aWidget('a'));
  await widgets.merge(a, { spec: { size: 2 } });
  expect(api.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /apis/test.slipway.dev/v1/namespaces/default/widgets?dryRun=All&fieldManager=tests',
    'GET /apis/test.slipway.dev/v1/namespaces/default/widgets/a',
    'POST /apis/test.slipway.dev/v1/namespaces/default/widgets?fieldManager=tests',
    'PATCH /apis/test.slipway.dev/v1/namespaces/default/widgets/a?fieldManager=tests',
  ]);
});

test('apply() makes an object, removes what its manager left out since, and leaves the rest alone', async () => {
  const { api, widgets } = setUp();
  const options = { fieldManager: 'me', force: true };
  await widgets.apply({ metadata: a, spec: { size: 1, labels: { x: '1', y: '2' } } }, options);
  await widgets.merge(a, { spec: { color: 'red' } });
  const fewer = await widgets.apply({ metadata: a, spec: { labels: { y: '2' } } }, options);
  expect(fewer.spec).toEqual({ color: 'red', labels: { y: '2' } });
  const written = await widgets.applyStatus({ metadata: a, status: { ready: true } }, { fieldManager: 'me' });
  expect(written).toMatchObject({ spec: fewer.spec, status: { ready: true } });
  const path = '/apis/test.slipway.dev/v1/namespaces/default/widgets/a';
  expect(api.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    `PATCH ${path}?fieldManager=me&force=true`,
    `PATCH ${path}?fieldManager=tests`,
    `PATCH ${path}?fieldManager=me&force=true`,
    `PATCH ${path}/status?fieldManager=me`,
  ]);
  expect(api.requests[0]).toMatchObject({
    contentType: 'application/apply-patch+yaml',
    body: { apiVersion: 'test.slipway.dev/v1', kind: 'Widget', metadata: a },
  });
});

test('pages() follows a consistent list to its end', async () => {
  const { widgets } = setUp();
  for (const name of ['a', 'b', 'c', 'd', 'e']) await widgets.create(aWidget(name));
  const seen: string[][] = [];
  for await (const page of widgets.pages({ limit: 2 })) {
    if (seen.length === 0) await widgets.create(aWidget('b2'));
    seen.push(page.items.map((item) => item.metadata.name ?? ''));
  }
  expect(seen).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
  expect(await widgets.list({ limit: 2 })).toMatchObject({ remaining: 4, resourceVersion: '7' });
});

test('list() gives items of built-in kinds the apiVersion and kind that the server leaves out', async () => {
  const body = {
    kind: 'PodList',
    apiVersion: 'v1',
    metadata: { resourceVersion: '7' },
    items: [{ metadata: { name: 'p' } }],
  };
  const pods = answering(200, body).resource({
    group: '',
    version: 'v1',
    kind: 'Pod',
    plural: 'pods',
    namespaced: true,
  });
  expect((await pods.list()).items).toEqual([{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' } }]);
});

test('merge() changes what the patch names and keeps fields it does not know', async () => {
  const { api, widgets } = setUp();
  api.seed(Widgets, { ...aWidget('a'), spec: { size: 1, future: { x: 1 } } } as Widget);
  const changed = await widgets.merge(a, { spec: { size: 3 } });
  expect(changed.spec).toEqual({ size: 3, future: { x: 1 } });
});

test('json() applies operations in order and is refused as a whole when a test fails', async () => {
  const { widgets } = setUp();
  await widgets.create(aWidget('a'));
  const failing = widgets.json(a, [
    { op: 'replace', path: '/spec/size', value: 9 },
    { op: 'test', path: '/metadata/name', value: 'b' },
  ]);
  await expect(failing).rejects.toMatchObject({ code: 422 });
  expect((await widgets.get(a)).spec.size).toBe(1);
  const changed = await widgets.json(a, [{ op: 'add', path: '/metadata/labels', value: { 'a/b': 'c' } }]);
  expect(changed.metadata.labels).toEqual({ 'a/b': 'c' });
});

test('mutate() runs again when another writer updated it in between, and gives up after its retries', async () => {
  const { widgets } = setUp();
  await widgets.create(aWidget('a', { size: 0 }));
  await Promise.all(
    Array.from({ length: 5 }, () =>
      widgets.mutate(a, (draft) => {
        draft.spec.size += 1;
      }),
    ),
  );
  expect((await widgets.get(a)).spec.size).toBe(5);

  let runs = 0;
  const lost = widgets.mutate(
    a,
    (draft) => {
      runs++;
      return { ...draft, metadata: { ...draft.metadata, resourceVersion: '1' }, spec: { size: -1 } };
    },
    { retries: 2 },
  );
  await expect(lost).rejects.toMatchObject({ reason: 'Conflict' });
  expect(runs).toBe(3);
});

test('mutate() writes nothing when the change changes nothing', async () => {
  const { api, widgets } = setUp();
  await widgets.create(aWidget('a'));
  const before = api.revision;
  await widgets.mutate(a, (draft) => ({ ...draft, spec: { size: 1 } }));
  expect(api.requests.filter(({ method }) => method === 'PUT')).toEqual([]);
  expect(api.revision).toBe(before);
});

test('replaceStatus() and mergeStatus() change nothing but status', async () => {
  const { widgets } = setUp();
  const created = await widgets.create(aWidget('a'));
  await widgets.replaceStatus({ ...created, spec: { size: 9 }, status: { ready: 1 } });
  expect(await widgets.get(a)).toMatchObject({ spec: { size: 1 }, status: { ready: 1 }, metadata: { generation: 1 } });
  await widgets.mergeStatus(a, { spec: { size: 9 }, status: { ready: 2 } });
  expect(await widgets.get(a)).toMatchObject({ spec: { size: 1 }, status: { ready: 2 } });
});

test('delete() is content when the object is gone, and heeds preconditions', async () => {
  const { widgets } = setUp();
  const { metadata } = await widgets.create(aWidget('a'));
  await expect(widgets.delete(a, { preconditions: { uid: 'other' } })).rejects.toMatchObject({ code: 409 });
  await widgets.delete(a, { preconditions: { uid: metadata.uid ?? '' } });
  await widgets.delete(a);
  expect(await widgets.find(a)).toBeUndefined();
});

// HTTP status | body | what is thrown
const refusals: [number, unknown, { code: number; reason: string; message: string }][] = [
  [
    403,
    failureStatus({ reason: 'Forbidden', message: 'no', code: 403 }),
    { code: 403, reason: 'Forbidden', message: 'no' },
  ],
  [502, '<html>Bad Gateway</html>', { code: 502, reason: 'Unknown', message: '<html>Bad Gateway</html>' }],
  [503, '', { code: 503, reason: 'ServiceUnavailable', message: 'the server answered with HTTP status 503' }],
  [429, undefined, { code: 429, reason: 'TooManyRequests', message: 'the server answered with HTTP status 429' }],
];

test.each(refusals)('an answer with HTTP status %i becomes a StatusError', async (status, body, expected) => {
  const error = await answering(status, body)
    .resource(Widgets)
    .get(a)
    .catch((error: unknown) => error);
  expect(error).toBeInstanceOf(StatusError);
  expect(error).toMatchObject(expected);
});

test('a Kube with qps sends a burst at once and spreads the rest over time', async () => {
  const { ManualClock } = await import('../testing/manual-clock.js');
  const clock = new ManualClock();
  const api = inMemoryApi({ objects: [aWidget('a')] });
  const widgets = new Kube(api, { clock, qps: 10, burst: 2 }).resource(Widgets);
  const all = Promise.all(Array.from({ length: 5 }, () => widgets.get(a)));
  await clock.advance(0);
  expect(api.requests).toHaveLength(2);
  await clock.advance(100);
  expect(api.requests).toHaveLength(3);
  await clock.advance(200);
  await all;
  expect(api.requests).toHaveLength(5);
});

function answering(status: number, body: unknown): Kube {
  const transport: Transport = {
    request: async (_request: KubeRequest) => ({ status, headers: {}, body }),
    stream: () => {
      throw new Error('watch is not supported here');
    },
  };
  return new Kube(transport);
}
