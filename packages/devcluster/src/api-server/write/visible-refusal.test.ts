import { Kube } from '@slipway/kube';
import { ManualClock } from '@slipway/kube/testing';
import { expect, test } from 'vitest';
import { configMaps } from '../../controllers/api/core.js';
import { builtInDefinitions } from '../../kinds/catalogue.js';
import { createStore } from '../../storage/create-store.js';
import { createApiServer } from '../server.js';
import { admin } from '../testing/a-server.js';
import { inprocTransport } from '../transport/inproc-transport.js';

test('who is refused because of a write that is still on its way to the disk reads that write next', async () => {
  const clock = new ManualClock();
  let disk: Promise<void> = Promise.resolve();
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
  const ref = { namespace: 'default', name: 'c' };
  const namespaces = { group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces', namespaced: false };
  await kube.resource(namespaces).create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } });
  const first = await kube.resource(configMaps).create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: ref });

  let isWritten = () => {};
  disk = new Promise((resolve) => {
    isWritten = resolve;
  });
  const winner = kube.resource(configMaps).replace({ ...first, data: { by: 'the first' } });
  const loser = kube.resource(configMaps).replace({ ...first, data: { by: 'the second' } });
  const refused = loser.then(
    () => 'not refused',
    async () => (await kube.resource(configMaps).get(ref)).data?.by,
  );
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  isWritten();
  expect(await refused).toBe('the first');
  await winner;
  api.drain();
  await store.close();
});
