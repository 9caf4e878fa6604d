import { expect, test } from 'vitest';
import { memoryStore } from './memory-store.js';

test('writes that answer one another leave the event loop its turns', async () => {
  const store = memoryStore();
  let turns = 0;
  const turn = (): NodeJS.Immediate =>
    setImmediate(() => {
      turns += 1;
      pending = turn();
    });
  let pending = turn();
  let basis = await store.put('configmaps', aConfigMap(0), undefined);
  for (let value = 1; value < 1_000; value += 1) basis = await store.put('configmaps', aConfigMap(value), basis);
  clearImmediate(pending);
  expect(turns).toBeGreaterThan(10);
});

function aConfigMap(value: number) {
  const metadata = { namespace: 'n', name: 'a', uid: 'uid-of-a' };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { value: String(value) } };
}
