import { Readable } from 'node:stream';
import { admin, aServer, named } from '@slipway/devcluster/testing/a-server';
import { Kube, type KubeObject, StatusError, type Transport } from '@slipway/kube';
import { configMaps } from '@slipway/kubernetes-kinds/kinds/config-map';
import { expect, test } from 'vitest';
import { listPayload } from '../response/payloads.js';
import { inprocTransport } from './inproc-transport.js';

const maps = '/api/v1/namespaces/default/configmaps';

test.each([false, true])('inprocTransport() serves the client of kube (paranoid: %s)', async (paranoid) => {
  const { api } = await aServer();
  const client = new Kube(inprocTransport(api, admin, { paranoid })).resource(configMaps);
  const made = await client.create({
    ...named('ConfigMap', 'c'),
    metadata: { name: 'c', namespace: 'default' },
    data: { a: '1' },
  });
  expect(made.data).toEqual({ a: '1' });
  await client.mutate({ name: 'c', namespace: 'default' }, (draft) => {
    draft.data = { a: '2' };
  });
  expect((await client.get({ name: 'c', namespace: 'default' })).data).toEqual({ a: '2' });
  await expect(client.get({ name: 'no', namespace: 'default' })).rejects.toThrow('configmaps "no" not found');
});

test('inprocTransport() hands out what is stored, frozen, and keeps nothing of what it is given', async () => {
  const { api } = await aServer();
  const transport = inprocTransport(api, admin);
  const sent = named('ConfigMap', 'c', { data: { a: '1' } });
  await transport.request({ method: 'POST', path: maps, body: sent });
  expect(sent.metadata).toEqual({ name: 'c' });
  const { body } = await transport.request({ method: 'GET', path: `${maps}/c` });
  expect(Object.isFrozen((body as { data: object }).data)).toBe(true);
  sent.data.a = 'changed';
  expect((await transport.request({ method: 'GET', path: `${maps}/c` })).body).toMatchObject({ data: { a: '1' } });
});

test('a stream brings what happens, and ends when it is aborted', async () => {
  const { api } = await aServer();
  const transport = inprocTransport(api, admin);
  const abort = new AbortController();
  const seen: string[] = [];
  const reading = (async () => {
    for await (const { type, object } of transport.stream(
      { method: 'GET', path: `${maps}?watch=true` },
      abort.signal,
    )) {
      seen.push(`${type} ${object.metadata.name}`);
      if (seen.length === 2) abort.abort();
    }
  })();
  await transport.request({ method: 'POST', path: maps, body: named('ConfigMap', 'a') });
  await transport.request({ method: 'DELETE', path: `${maps}/a` });
  await reading;
  expect(seen).toEqual(['ADDED a', 'DELETED a']);
});

test('a stream of what cannot be watched is a refusal', async () => {
  const { api } = await aServer();
  const stream = inprocTransport(api, admin).stream(
    { method: 'GET', path: '/api/v1/nosuch?watch=true' },
    AbortSignal.timeout(1_000),
  );
  await expect(stream[Symbol.asyncIterator]().next()).rejects.toThrow(StatusError);
});

test('a lean transport leaves managed fields out of what is kept, and an update without them keeps who owns what', async () => {
  const { api, ask } = await aServer();
  const path = '/api/v1/namespaces/default/configmaps';
  await ask('POST', `${path}?fieldManager=maker`, named('ConfigMap', 'c', { data: { a: '1' } }));
  const owners = (object: KubeObject) => object.metadata.managedFields;
  const whole = inprocTransport(api, admin);
  const lean = inprocTransport(api, admin, { lean: true });
  const listed = async (transport: Transport, headers = {}) => {
    const { body } = await transport.request({ method: 'GET', path, headers });
    return (body as { items: KubeObject[] }).items[0] as KubeObject;
  };
  const metadataOnly = { accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1' };
  expect(owners(await listed(whole))).toBeDefined();
  expect(owners(await listed(lean, metadataOnly))).toBeUndefined();
  const known = await listed(lean);
  expect(owners(known)).toBeUndefined();

  const stop = new AbortController();
  const watched = lean.stream({ method: 'GET', path: `${path}?watch=true` }, stop.signal)[Symbol.asyncIterator]();
  const seen = await watched.next();
  expect(seen.value?.object).toBe(known);
  stop.abort();
  await watched.next();

  await lean.request({
    method: 'PUT',
    path: `${path}/c?fieldManager=other`,
    body: { ...known, data: { a: '1', b: '2' } },
  });
  expect(owners(await listed(whole))).toMatchObject([
    { manager: 'maker', fieldsV1: { 'f:data': { 'f:a': {} } } },
    { manager: 'other', fieldsV1: { 'f:data': { 'f:b': {} } } },
  ]);
});

test('the objects of a list are parsed with yields, with and without managed fields', async () => {
  const { api } = await aServer();
  const transport = inprocTransport(api, admin);
  for (const name of ['a', 'b', 'c']) {
    await transport.request({ method: 'POST', path: maps, body: named('ConfigMap', name, { data: { a: 'b' } }) });
  }
  for (const lean of [false, true]) {
    const { body } = await inprocTransport(api, admin, { lean }).request({ method: 'GET', path: maps });
    const { items } = body as { items: KubeObject[] };
    expect(items.map(({ metadata }) => [metadata.name, metadata.managedFields === undefined])).toEqual([
      ['a', lean],
      ['b', lean],
      ['c', lean],
    ]);
  }
});

test('listPayload() yields for every ten objects that it reads', () => {
  const object = named('ConfigMap', 'a');
  const items = Array.from({ length: 1_000 }, () => ({ json: '{}', object }));
  const head = { kind: 'ConfigMapList', apiVersion: 'v1', metadata: { resourceVersion: '1' } };
  expect([...(listPayload(head, items).reading?.() ?? [])]).toHaveLength(100);
});

// characters of each of 1,000 objects | yields
test.each([
  [0, 100],
  [1_000, 100],
  [5_000, 250],
  [16_384, 1_000],
  [1_000_000, 1_000],
])('listPayload() of 1,000 objects of %i characters yields %i times', (size, yields) => {
  const object = { apiVersion: 'v1', kind: 'Pod', metadata: {} };
  const items = new Array(1_000).fill({ object, json: '{}', size });
  const head = { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '1' } };
  expect([...(listPayload(head, items).reading?.() ?? [])]).toHaveLength(yields);
});

/** A transport to a server that hands out the answer of another one. */
function passingOn(type: string, body: Readable): Transport {
  const payload = { kind: 'stream', body, cookies: [] } as const;
  return inprocTransport({ handle: async () => ({ status: 200, headers: { 'content-type': type }, payload }) }, admin);
}

test('inprocTransport() reads what another server answered: JSON as a value, the rest as text', async () => {
  const read = (type: string) => passingOn(type, Readable.from(['{"a":', '1}'])).request({ method: 'GET', path: '/' });
  expect((await read('application/json; charset=utf-8')).body).toEqual({ a: 1 });
  expect((await read('text/plain')).body).toBe('{"a":1}');
});

test('inprocTransport() streams the events of another server, and lets go of it when it is aborted', async () => {
  const body = new Readable({ read() {} });
  const stopping = new AbortController();
  const types: string[] = [];
  body.push('{"type":"ADDED","object":{}}\n{"type":"DELETED",');
  body.push('"object":{}}\n');
  for await (const { type } of passingOn('application/json', body).stream(
    { method: 'GET', path: '/' },
    stopping.signal,
  )) {
    types.push(type);
    if (types.length === 2) stopping.abort();
  }
  expect(types).toEqual(['ADDED', 'DELETED']);
  expect(body.destroyed).toBe(true);
});
