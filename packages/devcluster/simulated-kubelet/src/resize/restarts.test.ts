import { type AClusterOptions, aCluster } from '@slipway/devcluster/testing/a-cluster';
import { ManualClock } from '@slipway/kube/testing';
import { nodes } from '@slipway/kube-objects/kinds/api/nodes';
import { podCondition, pods } from '@slipway/kube-objects/kinds/api/pods';
import { until } from '@slipway/kube-objects/testing/until';
import { expect, test } from 'vitest';
import { NodeNetwork } from '../node/node-network.js';
import { aPodAsking, firstOf, resizing } from '../testing/resizing.js';

/** One node of 4 cpus; `crash` cuts it off and kills its kubelet, so that what was under way is not reported. */
async function aNode(options: AClusterOptions = {}) {
  const network = new NodeNetwork();
  const cluster = await aCluster({ nodes: 1, network, ...options });
  const [kubelet] = cluster.kubelets();
  return {
    ...cluster,
    ...resizing(cluster.kube),
    network,
    async restart() {
      await kubelet?.stop();
      network.mend('n1');
      await kubelet?.start();
    },
    stop: async () => kubelet?.stop(),
    start: async () => kubelet?.start(),
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
}

const checkpoint = (node: Awaited<ReturnType<typeof aNode>>, uid = '') =>
  node.machines()[0]?.checkpoint.allocated(uid)?.get('main')?.requests?.cpu;

// K6: "restart: reload checkpoint; readmit in creation order at allocated; then pending resizes"
test('a kubelet that is started anew keeps what it promised, and looks at what waits', async () => {
  await using node = await aNode();
  const other = await node.run(aPodAsking('other', { cpu: '3' }));
  const pod = await node.run(aPodAsking('p', { cpu: '1' }));
  await node.resize(pod, { requests: { cpu: '2' } });
  const before = await node.isPending(pod, 'Deferred');
  await node.restart();
  const after = await node.isPending(pod, 'Deferred');
  expect(after.status).toEqual(before.status);
  await node.stop();
  await node.resize(other, { requests: { cpu: '1' } });
  await node.start();
  await node.runsWith(other, '1');
  await node.runsWith(pod, '2');
});

test('pods are readmitted oldest first at what was set aside for them: a node that shrank fails the youngest', async () => {
  const clock = new ManualClock();
  await using node = await aNode({ clock });
  const run = async (name: string, cpu: string) => {
    const pod = await node.kube.resource(pods).create(aPodAsking(name, { cpu }));
    for (let s = 0; s < 2; s += 1) await clock.advance(1_000);
    return pod;
  };
  const [oldest, middle, youngest] = [
    await run('oldest', '1'),
    await run('middle', '1'),
    await run('youngest', '500m'),
  ];
  await node.resize(oldest, { requests: { cpu: '2' } });
  for (let s = 0; s < 2; s += 1) await clock.advance(1_000);
  await node.stop();
  node.machines()[0]?.setCapacity({ cpu: '2500m' });
  await node.start();
  await clock.advance(1_000);
  expect((await node.get(middle)).status).toMatchObject({
    phase: 'Failed',
    reason: 'OutOfcpu',
    message: "Pod was rejected: Node didn't have enough resource: cpu, requested: 1000, used: 2000, capacity: 2500",
  });
  expect([(await node.get(oldest)).status?.phase, (await node.get(youngest)).status?.phase]).toEqual([
    'Running',
    'Running',
  ]);
});

// K6: "Crash points: before/after checkpoint, before/after actuation." What is lost with the kubelet | how it is brought about
test('a crash before the checkpoint: the resize is granted by the next kubelet', async () => {
  await using node = await aNode();
  const pod = await node.run(aPodAsking('p', { cpu: '1' }));
  await node.stop();
  await node.resize(pod, { requests: { cpu: '2' } });
  expect(checkpoint(node, pod.metadata.uid)).toBe('1');
  await node.start();
  await node.runsWith(pod, '2');
});

test('a crash after the checkpoint, before the report: the promise holds, though it could not be made now', async () => {
  await using node = await aNode({ delays: { resizeMs: 60_000 } });
  const pod = await node.run(aPodAsking('p', { cpu: '1' }));
  // Requests reach the kubelet, its answers are lost.
  const seen = until('the checkpoint', async () => checkpoint(node, pod.metadata.uid) === '4');
  await node.resize(pod, { requests: { cpu: '4' } });
  await seen;
  node.network.cut('n1');
  await node.stop();
  const other = await node.kube.resource(pods).create(aPodAsking('other', { cpu: '1' }));
  await node.restart();
  expect((await node.fails(other)).status?.reason).toBe('OutOfcpu');
  const resumed = await node.becomes(
    pod,
    'be under way',
    (each) => podCondition(each, 'PodResizeInProgress') !== undefined,
  );
  expect(firstOf(resumed)).toMatchObject({ allocatedResources: { cpu: '4' }, resources: { requests: { cpu: '1' } } });
});

test('a crash before the actuation: the next kubelet carries it out, and restarts no container twice', async () => {
  await using node = await aNode({ delays: { resizeMs: 300 } });
  const restarts = [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' as const }];
  const containers = [{ name: 'main', image: 'i', resources: { requests: { cpu: '1' } }, resizePolicy: restarts }];
  const pod = await node.run(aPodAsking('p', {}, { containers }));
  await node.resize(pod, { requests: { cpu: '2' } });
  await node.becomes(pod, 'be under way', (seen) => podCondition(seen, 'PodResizeInProgress') !== undefined);
  await node.restart();
  const done = await node.runsWith(pod, '2');
  expect(firstOf(done)?.restartCount).toBe(1);
  await node.restart();
  await node.run(aPodAsking('another', { cpu: '1' }));
  expect((await node.get(pod)).status).toEqual(done.status);
});

test('where machine and all are made anew, what was set aside is known from the status of the pod', async () => {
  await using node = await aNode();
  await node.run(aPodAsking('other', { cpu: '2' }));
  const pod = await node.run(aPodAsking('p', { cpu: '1' }));
  await node.resize(pod, { requests: { cpu: '3' } });
  const before = await node.isPending(pod, 'Deferred');
  await node.replaceKubelets();
  const { status } = await node.kube.resource(nodes).get({ name: 'n1' });
  expect(status?.allocatable?.cpu).toBe('4');
  const another = await node.run(aPodAsking('another', { cpu: '1' }));
  expect((await node.isPending(pod, 'Deferred')).status).toMatchObject({
    ...before.status,
    conditions: expect.anything(),
  });
  await node.remove(another);
});
