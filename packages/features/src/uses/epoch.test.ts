import { Kube } from '@slipway/kube';
import { inMemoryApi } from '@slipway/kube/testing';
import { expect, test } from 'vitest';
import { raiseEpoch } from './epoch.js';

const configMaps = { group: '', plural: 'configmaps' };

test('raiseEpoch() counts up, spreads the answers, and never goes below what was heard of', async () => {
  const api = inMemoryApi();
  const kube = new Kube(api);
  const raise = (above: number, processes = 10) => raiseEpoch(kube, { namespace: 'kube-system', processes, above });
  expect(await raise(0)).toBe(1);
  expect(await raise(0, 10_000)).toBe(2);
  expect(api.stored(configMaps)[0]?.data).toEqual({ epoch: '2', spreadSeconds: '111.11' });
  // The ConfigMap was lost, and processes still carry a newer number.
  await kube.resource({ ...configMaps, version: 'v1', kind: 'ConfigMap', namespaced: true }).delete({
    namespace: 'kube-system',
    name: 'slipway-use-epoch',
  });
  expect(await raise(7)).toBe(8);
});

test('raiseEpoch() gives two who raise at once two numbers', async () => {
  const kube = new Kube(inMemoryApi());
  const round = { namespace: 'kube-system', processes: 1, above: 0 };
  const numbers = await Promise.all([raiseEpoch(kube, round), raiseEpoch(kube, round), raiseEpoch(kube, round)]);
  expect(numbers.toSorted()).toEqual([1, 2, 3]);
});
