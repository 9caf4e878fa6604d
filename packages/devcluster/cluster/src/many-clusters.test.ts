import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { configMaps } from '@slipway/kube-objects/kinds/api/core';
import { expect, test, vi } from 'vitest';
import type { Cluster } from './cluster.js';
import { aStartedCluster } from './testing/started-cluster.js';

// Clusters start and stop in here, beside all other tests of the machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

async function aCluster(name: string): Promise<Cluster> {
  const cluster = await aStartedCluster({ name, nodes: 2 });
  await cluster.ready();
  return cluster;
}

test('ten clusters in one process know nothing of each other, and cost at most 15 MB each', async () => {
  const first = await aCluster('c0');
  const before = megabytesInUse();
  const others = await Promise.all(Array.from({ length: 9 }, (_, index) => aCluster(`c${index + 1}`)));
  expect((megabytesInUse() - before) / others.length).toBeLessThan(15);

  const all = [first, ...others];
  const mine = (cluster: Cluster) => cluster.kube().resource(configMaps);
  await Promise.all(
    all.map((cluster) =>
      mine(cluster).create({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: `only-in-${cluster.name}`, namespace: 'default' },
      }),
    ),
  );
  const seen = await Promise.all(
    all.map(async (cluster) => {
      const { items } = await mine(cluster).list({ namespace: 'default' });
      return items.map(({ metadata }) => metadata.name ?? '').filter((name) => name.startsWith('only-in-'));
    }),
  );
  expect(seen).toEqual(all.map(({ name }) => [`only-in-${name}`]));

  // Stopping one does not affect the others.
  await first.stop();
  await Promise.all(others.map((cluster) => mine(cluster).list()));
  expect(new Set(all.map(({ url }) => url)).size).toBe(10);
});

/** Memory in use in MB (10^6 bytes) after a collection, what lies outside the heap included. */
function megabytesInUse(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1e6;
}
