import { type Clock, isConditionTrue, leases } from '@slipway/kube';
import { ManualClock } from '@slipway/kube/testing';
import { type Node, nodes } from '@slipway/kube-objects/kinds/api/nodes';
import { pods } from '@slipway/kube-objects/kinds/api/pods';
import { deployments } from '@slipway/kube-objects/kinds/api/workloads';
import { aFolder } from '@slipway/kube-objects/testing/a-folder';
import { expect, test, vi } from 'vitest';
import type { Cluster } from './cluster.js';
import { SettableClock } from './testing/settable-clock.js';
import { aDeployment } from './testing/some-objects.js';
import { aStartedCluster } from './testing/started-cluster.js';

// Clusters start and stop in here, beside all other tests of the machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

async function aCluster(clock: ManualClock, count = 2) {
  const cluster = await aStartedCluster({ nodes: count, clock });
  await cluster.ready();
  return cluster;
}

async function readiness(cluster: Cluster): Promise<readonly boolean[]> {
  const { items } = await cluster.kube().resource(nodes).list();
  return items.map((node: Node) => isConditionTrue(node.status?.conditions, 'Ready'));
}

/** Numbers from 0 up to 1 that look drawn and are the same for the same seed: Lehmer's generator. */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

test('what is drawn follows from the numbers handed in, and with it the names and places of pods', async () => {
  const story = async (seed: number) => {
    const cluster = await aStartedCluster({
      nodes: 3,
      clock: new ManualClock(),
      random: numbersFrom(seed),
    });
    await cluster.ready();
    const kube = cluster.kube();
    await kube.resource(deployments).create(aDeployment('web', 3));
    await cluster.advance(5_000);
    const { items } = await kube.resource(pods).list({ namespace: 'default' });
    return items.map(({ metadata: { name, uid }, spec }) => [name, uid, spec.nodeName]);
  };
  const told = await story(7);
  expect(told).toHaveLength(3);
  expect(await story(7)).toEqual(told);
  expect(await story(7)).toEqual(told);
  expect(await story(8)).not.toEqual(told);
});

test('advance() does at once what would take a node, its pods and their replacements minutes', async () => {
  const cluster = await aCluster(new ManualClock());
  const kube = cluster.kube();
  await kube.resource(deployments).create(aDeployment('web', 4));
  await cluster.advance(5_000);
  const runningOn = async () => {
    const { items } = await kube.resource(pods).list({ namespace: 'default' });
    const running = items.filter(({ status, metadata }) => status?.phase === 'Running' && !metadata.deletionTimestamp);
    return running.map(({ spec }) => spec.nodeName ?? '').sort();
  };
  expect(new Set(await runningOn())).toEqual(new Set(['n1', 'n2']));

  await cluster.nodes[0]?.stop();
  await cluster.advance(30_000);
  expect(await readiness(cluster)).toEqual([true, true]);
  await cluster.advance(25_000);
  expect(await readiness(cluster)).toEqual([false, true]);
  // Pods tolerate an unreachable node for 300 s.
  await cluster.advance(4 * minuteMs);
  expect(await runningOn()).toContain('n1');
  await cluster.advance(2 * minuteMs);
  expect(await runningOn()).toEqual(['n2', 'n2', 'n2', 'n2']);
});

test('advance() renews every lease on time, however far it goes at once', async () => {
  const clock = new ManualClock();
  const cluster = await aCluster(clock);
  await cluster.advance(hourMs);
  const { items } = await cluster.kube().resource(leases).list();
  const ages = items.map(({ spec }) => clock.now() - Date.parse(spec.renewTime ?? ''));
  // Of two nodes, of the API server, of the controllers, and of the scheduler.
  expect(ages).toHaveLength(5);
  expect(Math.max(...ages)).toBeLessThanOrEqual(10_000);
  expect(await readiness(cluster)).toEqual([true, true]);
});

test('advance() is for clusters whose time is stepped', async () => {
  const cluster = await aStartedCluster({ nodes: 0 });
  await expect(cluster.advance(1)).rejects.toThrow(/ManualClock/);
});

test.each([
  ['forward', hourMs],
  ['back', -hourMs],
])('a wall clock that is set %s by an hour takes no lease and no node away', async (_where, byMs) => {
  const clock = new SettableClock();
  const cluster = await aCluster(clock);
  const kube = cluster.kube();
  await kube.resource(deployments).create(aDeployment('web', 2));
  await cluster.advance(minuteMs);
  const before = (await kube.resource(nodes).list()).items.map(({ status }) => status?.conditions?.map(transitions));
  const podsBefore = (await kube.resource(pods).list()).items.map(({ metadata }) => metadata.uid).sort();

  clock.set(byMs);
  for (let seconds = 0; seconds < 120; seconds += 5) {
    await cluster.advance(5_000);
    expect(await readiness(cluster)).toEqual([true, true]);
  }
  const after = (await kube.resource(nodes).list()).items.map(({ status }) => status?.conditions?.map(transitions));
  expect(after).toEqual(before);
  expect((await kube.resource(pods).list()).items.map(({ metadata }) => metadata.uid).sort()).toEqual(podsBefore);
  const { items } = await kube.resource(leases).list();
  expect(items.map(({ spec }) => clock.now() - Date.parse(spec.renewTime ?? '') <= 10_000)).toEqual(
    items.map(() => true),
  );

  // As kubectl has it, a table shows no age of what is from the future.
  const { body } = await kube.transport.request({
    method: 'GET',
    path: '/api/v1/nodes',
    headers: { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' },
  });
  const { rows } = body as { rows: { cells: string[] }[] };
  expect(rows.map(({ cells }) => cells[3])).toEqual(byMs > 0 ? ['63m', '63m'] : ['<invalid>', '<invalid>']);
});

function transitions({
  type,
  status,
  lastTransitionTime,
}: {
  type: string;
  status: string;
  lastTransitionTime?: string;
}) {
  return [type, status, lastTransitionTime];
}

test('data of a time that the clock has not reached: the cluster goes on from there', async () => {
  const dataDir = aFolder();
  const clock = new ManualClock();
  const passing = (aheadMs: number): Clock => ({
    now: () => clock.now() + aheadMs,
    monotonicMs: () => clock.monotonicMs(),
    after: (delayMs, run) => clock.after(delayMs, run),
  });
  const started = async (aheadMs: number) => {
    const cluster = await aStartedCluster({ clock: passing(aheadMs), dataDir });
    await cluster.ready();
    return cluster;
  };
  const renewedMs = async (cluster: Cluster) => {
    const lease = await cluster.kube().resource(leases).get({ namespace: 'kube-node-lease', name: 'n1' });
    return Date.parse(lease.spec.renewTime ?? '');
  };
  const fast = await started(10 * hourMs);
  const before = await renewedMs(fast);
  await fast.stop();
  const cluster = await started(0);
  const made = await cluster
    .kube()
    .resource(pods)
    .create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'late', namespace: 'default' },
      spec: { containers: [{ name: 'main', image: 'registry.example/app:1' }] },
    });
  expect(Date.parse(made.metadata.creationTimestamp ?? '')).toBeGreaterThanOrEqual(before - 1_000);
  expect(await renewedMs(cluster)).toBeGreaterThanOrEqual(before);
});
