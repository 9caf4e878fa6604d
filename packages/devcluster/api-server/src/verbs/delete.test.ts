import { aServer, named } from '@slipway/devcluster/testing/a-server';
import { expect, test } from 'vitest';

const configMaps = '/api/v1/namespaces/default/configmaps';

test('a deletion of a collection of 120 objects deletes at most 50 of them at once, and answers with all', async () => {
  const { ask, store } = await aServer();
  const names = Array.from({ length: 120 }, (_, index) => `c${String(index).padStart(3, '0')}`);
  for (const name of names) await ask('POST', configMaps, named('ConfigMap', name));
  const { remove } = store;
  let [underWay, most] = [0, 0];
  store.remove = async (...args) => {
    underWay++;
    most = Math.max(most, underWay);
    const entry = await remove(...args);
    underWay--;
    return entry;
  };
  const { status, body } = await ask('DELETE', configMaps);
  expect(status).toBe(200);
  expect(body.items.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual(names);
  expect(most).toBe(50);
  expect((await ask('GET', configMaps)).body.items).toEqual([]);
});
