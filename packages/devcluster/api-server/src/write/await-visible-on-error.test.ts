import { admin } from '@slipway/devcluster/testing/a-server';
import { Kube } from '@slipway/kube';
import { ManualClock } from '@slipway/kube/testing';
import { configMaps } from '@slipway/kube-objects/kinds/api/core';
import { builtInDefinitions } from '@slipway/kubernetes-kinds/kinds/catalogue';
import { createStore } from '@slipway/object-store/create-store';
import { expect, test } from 'vitest';
import { createApiServer } from '../server.js';
import { inprocTransport } from '../transport/inproc-transport.js';

const ref = { namespace: 'default', name: 'c' };
const aMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: ref };

/** An API server whose disk can be held, with a namespace. */
async function aServerWithSlowDisk() {
  const clock = new ManualClock();
  let disk: Promise<void> = Promise.resolve();
  let isWritten = () => {};
  const store = createStore({
    clock,
    durable: {
      load: () => ({ records: [], compacted: new Map() }),
      commit: () => disk,
      gather: (next) => next(),
      close: () => Promise.resolve(),
    },
  });
  const api = createApiServer({ store, clock, definitions: builtInDefinitions() });
  const kube = new Kube(inprocTransport(api, admin), { clock });
  const namespaces = { group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces', namespaced: false };
  await kube.resource(namespaces).create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } });
  return {
    maps: kube.resource(configMaps),
    holdDisk: () => {
      disk = new Promise((resolve) => {
        isWritten = resolve;
      });
    },
    /** Lets everything that does not wait for the disk happen first. */
    async releaseDisk() {
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
      isWritten();
    },
    async [Symbol.asyncDispose]() {
      api.drain();
      await store.close();
    },
  };
}

test('who is refused because of a write that is still on its way to the disk reads that write next', async () => {
  await using server = await aServerWithSlowDisk();
  const { maps } = server;
  const first = await maps.create(aMap);
  server.holdDisk();
  const winner = maps.replace({ ...first, data: { by: 'the first' } });
  const refused = maps.replace({ ...first, data: { by: 'the second' } }).then(
    () => 'not refused',
    async () => (await maps.get(ref)).data?.by,
  );
  await server.releaseDisk();
  expect(await refused).toBe('the first');
  await winner;
});

test('who is told that an object is there finds it, though it was still on its way to the disk', async () => {
  await using server = await aServerWithSlowDisk();
  const { maps } = server;
  server.holdDisk();
  const winner = maps.create({ ...aMap, data: { by: 'the first' } });
  const found = maps.create({ ...aMap, data: { by: 'the second' } }).then(
    () => 'not refused',
    async (error) => [error.status.reason, (await maps.find(ref))?.data?.by],
  );
  await server.releaseDisk();
  expect(await found).toEqual(['AlreadyExists', 'the first']);
  await winner;
});
