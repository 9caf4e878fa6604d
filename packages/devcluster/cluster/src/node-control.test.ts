import { Kube } from '@slipway/kube';
import { ManualClock } from '@slipway/kube/testing';
import { nodes } from '@slipway/kube-objects/kinds/api/nodes';
import { expect, test } from 'vitest';
import { controlVerbs } from './control-verbs.js';
import { aStartedCluster } from './testing/started-cluster.js';

async function aCluster(clock: ManualClock) {
  const cluster = await aStartedCluster({ nodes: 3, clock });
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
  const allocatable = async (name: string) => (await client.get({ name })).status?.allocatable;
  return { ask: controlVerbs(cluster, '1.34'), readiness, allocatable, pass };
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

test('a node that was asked to resize reports its new capacity, and the others theirs', async () => {
  const { ask, allocatable, pass } = await aCluster(new ManualClock());
  await ask({ verb: 'node', action: 'resize', node: 'n2', capacity: { cpu: '16' } });
  await pass(1);
  expect(await allocatable('n2')).toMatchObject({ cpu: '16', memory: '8Gi' });
  expect(await allocatable('n1')).toMatchObject({ cpu: '4', memory: '8Gi' });
});

test.each([
  [undefined, 'resize needs amounts'],
  [{}, 'resize needs amounts'],
  [{ cpu: 8 }, 'resize needs amounts'],
  [{ cpu: 'many' }, 'quantities must match'],
])('a node cannot be resized to %j', async (capacity, message) => {
  const { ask } = await aCluster(new ManualClock());
  await expect(ask({ verb: 'node', action: 'resize', node: 'n1', capacity })).rejects.toThrow(message);
});

test('controlVerbs() refuses what cannot be done to a node', async () => {
  const { ask } = await aCluster(new ManualClock());
  await expect(ask({ verb: 'node', action: 'stop', node: 'n9' })).rejects.toMatchObject({
    message: 'this cluster simulates no node "n9"',
    hint: 'name one of: n1, n2, n3',
  });
  await expect(ask({ verb: 'node', action: 'explode', node: 'n1' })).rejects.toThrow('stop, start, partition');
});
