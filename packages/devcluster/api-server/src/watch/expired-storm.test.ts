import { admin, aServer, named } from '@slipway/devcluster/testing/a-server';
import { InformerFactory, Kube, type KubeRequest, silentLog, type Transport } from '@slipway/kube';
import { ManualClock } from '@slipway/kube/testing';
import { configMaps } from '@slipway/kube-objects/kinds/api/core';
import { expect, test, vi } from 'vitest';
import { inprocTransport } from '../transport/inproc-transport.js';

// Clusters start and stop in here, beside all other tests of the machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const informers = 50;

test('fifty informers whose history is gone list again spread over time, and all end up with what is stored', async () => {
  const { api, ask } = await aServer({ events: 100, ageMs: -1, bytes: 1024 ** 2 });
  const clock = new ManualClock();
  const network = { isUp: true, lists: [] as number[] };
  const cut = new Set<() => void>();
  const transport = throughNetwork(inprocTransport(api, admin), network, cut, clock);
  const factories = Array.from({ length: informers }, (_, index) => {
    const factory = new InformerFactory(new Kube(transport, { clock }), { log: silentLog, random: spread(index) });
    return { factory, informer: factory.informer(configMaps) };
  });
  for (const { factory } of factories) factory.start();
  await Promise.all(factories.map(({ informer }) => informer.whenSynced()));
  expect(network.lists).toHaveLength(informers);

  network.isUp = false;
  for (const end of [...cut]) end();
  for (let write = 0; write < 400; write += 1) {
    const { status } = await ask('POST', '/api/v1/namespaces/default/configmaps', named('ConfigMap', `c${write}`));
    expect(status).toBe(201);
  }
  network.isUp = true;
  network.lists = [];
  await clock.advance(120_000);

  expect(factories.map(({ informer }) => informer.lister.list().length)).toEqual(Array(informers).fill(400));
  expect(network.lists).toHaveLength(informers);
  const atOnce = new Map<number, number>();
  for (const at of network.lists) atOnce.set(Math.floor(at / 50), (atOnce.get(Math.floor(at / 50)) ?? 0) + 1);
  // Within any twentieth of a second a few list at most: the server answers those, then the next.
  expect(Math.max(...atOnce.values())).toBeLessThanOrEqual(10);
  await Promise.all(factories.map(({ factory }) => factory.stop()));
});

/** A network that can be down, and that notes when somebody lists. */
function throughNetwork(
  transport: Transport,
  network: { isUp: boolean; lists: number[] },
  cut: Set<() => void>,
  clock: ManualClock,
): Transport {
  const requireReachable = () => {
    if (!network.isUp) throw new Error('the network is down');
  };
  return {
    async request(request: KubeRequest) {
      requireReachable();
      if (request.method === 'GET' && !request.path.includes('continue=')) network.lists.push(clock.monotonicMs());
      return await transport.request(request);
    },
    async *stream(request, signal) {
      requireReachable();
      const broken = new AbortController();
      const end = () => broken.abort();
      cut.add(end);
      try {
        yield* transport.stream(request, AbortSignal.any([signal, broken.signal]));
        if (broken.signal.aborted) throw new Error('the connection broke');
      } finally {
        cut.delete(end);
      }
    },
  };
}

/** Evenly spread numbers, others for each informer, the same in every run. */
function spread(seed: number): () => number {
  let at = seed / informers;
  return () => {
    at = (at + 0.618_033_988_75) % 1;
    return at;
  };
}
