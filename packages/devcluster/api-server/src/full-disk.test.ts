import { admin, aWatch, named, replyOf } from '@slipway/devcluster/testing/a-server';
import { ManualClock } from '@slipway/kube/testing';
import { builtInDefinitions } from '@slipway/kubernetes-kinds/kinds/catalogue';
import { createStore } from '@slipway/object-store/create-store';
import { type DurableLog, type LogRecord, StorageFullError } from '@slipway/object-store/durable-log';
import { expect, test } from 'vitest';
import { createApiServer } from './server.js';

const maps = '/api/v1/namespaces/default/configmaps';

/** An API server over a disk that can be full: it takes nothing then but removals. */
async function aFullServer() {
  const disk = { isFull: false, records: [] as LogRecord[] };
  const durable: DurableLog = {
    load: () => ({ records: disk.records, compacted: new Map() }),
    async commit({ records }) {
      if (disk.isFull && records.some(({ kind }) => kind === 'put'))
        throw new StorageFullError('no space left on the disk of store.mdb');
      disk.records.push(...records);
    },
    gather: (next) => void setImmediate(next),
    close: () => Promise.resolve(),
  };
  const clock = new ManualClock();
  const store = createStore({ durable, clock });
  const api = createApiServer({ store, clock, definitions: builtInDefinitions() });
  const ask = async (method: string, path: string, body?: object, type = 'application/json') => {
    const headers = { 'content-type': type };
    return replyOf(await api.handle({ method, path, headers, user: admin, ...(body && { body: { value: body } }) }));
  };
  await ask('POST', '/api/v1/namespaces', named('Namespace', 'default'));
  for (const name of ['a', 'b', 'c']) await ask('POST', maps, { ...named('ConfigMap', name), data: { text: name } });
  return { api, ask, disk, store };
}

const writes: [string, string, string, object | undefined, string?][] = [
  ['a create', 'POST', maps, named('ConfigMap', 'new')],
  ['an update', 'PUT', `${maps}/a`, { ...named('ConfigMap', 'a'), data: { text: 'changed' } }],
  ['a patch', 'PATCH', `${maps}/a`, { data: { text: 'changed' } }, 'application/merge-patch+json'],
  [
    'an apply',
    'PATCH',
    `${maps}/new?fieldManager=me`,
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'new' } },
    'application/apply-patch+yaml',
  ],
];

test.each(writes)(
  '%s while the disk is full is refused with the reason, and leaves what there is',
  async (_what, method, path, body, type) => {
    const { api, ask, disk, store } = await aFullServer();
    const watch = await aWatch(api, `${maps}?watch=true&resourceVersion=${store.revision}`);
    const before = (await ask('GET', maps)).body;
    disk.isFull = true;
    const { status, body: said } = await ask(method, path, body, type);
    expect([status, said.kind, said.message]).toEqual([
      500,
      'Status',
      'Internal error occurred: no space left on the disk of store.mdb',
    ]);
    expect((await ask('GET', maps)).body).toEqual(before);
    expect(watch.frames).toEqual([]);

    // Room is made by deleting, and what was refused succeeds.
    expect((await ask('DELETE', `${maps}/c`)).status).toBe(200);
    disk.isFull = false;
    expect((await ask(method, path, body, type)).status).toBeLessThan(300);
    expect(watch.frames.map(({ type: happened }) => happened)).toHaveLength(2);
    watch.close();
  },
);
