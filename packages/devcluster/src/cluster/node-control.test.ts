import { Kube, silentLog } from '@slipway/kube';
import { ManualClock } from '@slipway/kube/testing';
import { afterEach, expect, test } from 'vitest';
import { nodes } from '../controllers/api/nodes.js';
import type { Cluster } from './cluster.js';
import { controlVerbs } from './control-verbs.js';
import { startCluster } from './start-cluster.js';

const clusters: Cluster[] = [];
afterEach(async () => {
  await Promise.all(clusters.splice(0).map((cluster) => cluster.stop()));
});

async function aCluster(clock: ManualClock) {
  const cluster = await startCluster({ nodes: 3, log: silentLog, clock });
  clusters.push(cluster);
  await cluster.ready();
  const client = new Kube(cluster.transport(), { clock }).resource(nodes);
  const readiness = async () => {
    const { items } = await client.list();
    return items.map(({ status }) => status?.conditions?.find(({ type }) => type === 'Ready')?.status);
  };
  const pass = async (seconds: number) => {
    for (let at = 0; at < seconds; at++) {
      await clock.advance(1000);
      await clock.advance(0);
    }
  };
  return { ask: controlVerbs(cluster, '1.34'), readiness, pass };
}

test.each(['stop', 'partition'])(
  'a node that was asked to %s becomes Unknown, and Ready again by start',
  async (action) => {
    const { ask, readiness, pass } = await aCluster(new ManualClock());
    await ask({ verb: 'node', action, node: 'n2' });
    await pass(60);
    expect(await readiness()).toEqual(['True', 'Unknown', 'True']);
    await ask({ verb: 'node', action: 'start', node: 'n2' });
    await pass(5);
    expect(await readiness()).toEqual(['True', 'True', 'True']);
  },
);

test('a stopped kubelet that is cut off starts without the API server, and registers once it is back', async () => {
  const { ask, readiness, pass } = await aCluster(new ManualClock());
  await ask({ verb: 'node', action: 'stop', node: 'n1' });
  await ask({ verb: 'node', action: 'partition', node: 'n1' });
  await pass(60);
  expect(await readiness()).toEqual(['Unknown', 'True', 'True']);
  await ask({ verb: 'node', action: 'start', node: 'n1' });
  await pass(5);
  expect(await readiness()).toEqual(['True', 'True', 'True']);
});

test('controlVerbs() refuses what cannot be done to a node', async () => {
  const { ask } = await aCluster(new ManualClock());
  await expect(ask({ verb: 'node', action: 'stop', node: 'n9' })).rejects.toMatchObject({
    message: 'this cluster simulates no node "n9"',
    hint: 'name one of: n1, n2, n3',
  });
  await expect(ask({ verb: 'node', action: 'explode', node: 'n1' })).rejects.toThrow('stop, start, partition');
});
