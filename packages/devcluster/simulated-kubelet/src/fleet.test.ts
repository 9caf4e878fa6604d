import { aCluster } from '@slipway/devcluster/testing/a-cluster';
import { Events, type Kube, leases } from '@slipway/kube';
import { ManualClock } from '@slipway/kube/testing';
import { nodes } from '@slipway/kube-objects/kinds/api/nodes';
import { isReady, type Pod, type PodSpec, pods } from '@slipway/kube-objects/kinds/api/pods';
import { until } from '@slipway/kube-objects/testing/until';
import { expect, test } from 'vitest';

const at = (name: string) => ({ namespace: 'default', name });
const aNewPod = (name: string, spec: Partial<PodSpec> = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: { containers: [{ name: 'main', image: 'image' }], ...spec },
});
const runs = (kube: Kube, name: string) =>
  until(`${name} to run`, async () => {
    const pod = await kube.resource(pods).get(at(name));
    return pod.status?.phase === 'Running' && pod;
  });
const goes = (kube: Kube, name: string) =>
  until(`${name} to go`, async () => !(await kube.resource(pods).find(at(name))));

test('kubelets register Ready nodes, each with a lease that belongs to it', async () => {
  await using cluster = await aCluster();
  const { items } = await cluster.kube.resource(nodes).list();
  expect(
    items.map(({ metadata, status }) => [
      metadata.name,
      status?.conditions?.find(({ type }) => type === 'Ready')?.status,
    ]),
  ).toEqual([
    ['n1', 'True'],
    ['n2', 'True'],
  ]);
  const { labels = {}, annotations } = items[0]?.metadata ?? {};
  expect(labels).toMatchObject({ 'kubernetes.io/hostname': 'n1', 'kubernetes.io/os': 'linux' });
  expect(['arch', 'os'].map((name) => labels[`beta.kubernetes.io/${name}`])).toEqual(
    ['arch', 'os'].map((name) => labels[`kubernetes.io/${name}`]),
  );
  expect(annotations).toMatchObject({ 'node.alpha.kubernetes.io/ttl': '0' });
  expect(items[0]?.status?.allocatable).toEqual({ cpu: '4', memory: '8Gi', pods: '110' });
  const lease = await cluster.kube.resource(leases).get({ namespace: 'kube-node-lease', name: 'n1' });
  expect(lease.spec).toMatchObject({ holderIdentity: 'n1', leaseDurationSeconds: 40 });
  expect(lease.metadata.ownerReferences?.[0]).toMatchObject({ kind: 'Node', uid: items[0]?.metadata.uid });
});

test('a kubelet tells what it does with a pod, in order', async () => {
  await using cluster = await aCluster({ nodes: 1 });
  const { kube } = cluster;
  await kube.resource(pods).create(aNewPod('p'));
  await runs(kube, 'p');
  await kube.resource(pods).delete(at('p'));
  await goes(kube, 'p');
  const told = await until('the events', async () => {
    const { items } = await kube.resource(Events).list();
    const ours = items.filter(({ source }) => source.component === 'kubelet');
    return ours.length === 5 && ours;
  });
  expect(told.map(({ reason }) => reason)).toEqual(['Pulling', 'Pulled', 'Created', 'Started', 'Killing']);
  expect(new Set(told.map(({ source }) => source.host))).toEqual(new Set(['n1']));
});

test('a kubelet refuses a pod that was forced upon it and does not fit', async () => {
  await using cluster = await aCluster({ nodes: 1 });
  const { kube } = cluster;
  const containers = [{ name: 'main', image: 'image', resources: { requests: { cpu: '5' } } }];
  await kube.resource(pods).create(aNewPod('p', { nodeName: 'n1', containers }));
  const { status } = await until('the refusal', async () => {
    const pod = await kube.resource(pods).get(at('p'));
    return pod.status?.phase === 'Failed' && pod;
  });
  expect(status).toMatchObject({
    reason: 'OutOfcpu',
    message: "Pod was rejected: Node didn't have enough resource: cpu, requested: 5000, used: 0, capacity: 4000",
  });
});

test('kubelets that were replaced take up running pods as they are, and finish what was being stopped', async () => {
  await using cluster = await aCluster({ nodes: 2, delays: { stopMs: 60_000 } });
  const { kube } = cluster;
  for (const name of ['a', 'b', 'c']) await kube.resource(pods).create(aNewPod(name));
  const before = [await runs(kube, 'a'), await runs(kube, 'b')];
  await runs(kube, 'c');
  await kube.resource(pods).delete(at('c'), { gracePeriodSeconds: 1 });
  const node = await kube.resource(nodes).get({ name: 'n1' });
  await cluster.replaceKubelets();
  await goes(kube, 'c');
  expect([await kube.resource(pods).get(at('a')), await kube.resource(pods).get(at('b'))]).toEqual(before);
  expect((await kube.resource(nodes).get({ name: 'n1' })).metadata.uid).toBe(node.metadata.uid);
  await kube.resource(pods).create(aNewPod('d'));
  const ips = [...before, await runs(kube, 'd')].map((pod) => pod.status?.podIP);
  expect(new Set(ips).size).toBe(3);
});

test('a kubelet leaves a cordon and foreign labels alone when it starts again', async () => {
  await using cluster = await aCluster({ nodes: 1 });
  const { kube } = cluster;
  await kube
    .resource(nodes)
    .merge({ name: 'n1' }, { metadata: { labels: { mine: 'x' } }, spec: { unschedulable: true } });
  await cluster.replaceKubelets();
  const node = await kube.resource(nodes).get({ name: 'n1' });
  expect([node.metadata.labels?.mine, node.spec?.unschedulable]).toEqual(['x', true]);
});

test('one kubelet can stop and start: its pods wait meanwhile, others go on', async () => {
  await using cluster = await aCluster();
  const { kube } = cluster;
  const [first] = cluster.kubelets();
  await first?.stop();
  await kube.resource(pods).create(aNewPod('on-n1', { nodeName: 'n1' }));
  await kube.resource(pods).create(aNewPod('on-n2', { nodeName: 'n2' }));
  await runs(kube, 'on-n2');
  expect((await kube.resource(pods).get(at('on-n1'))).status?.phase).toBe('Pending');
  await first?.start();
  await runs(kube, 'on-n1');
});

/** Steps time until nothing more happens by itself. */
const step = async (clock: ManualClock, ms: number) => {
  for (let at = 0; at < ms; at += 100) await clock.advance(100);
};

test('a pod that goes while its kubelet is away leaves nothing behind on the machine', async () => {
  await using cluster = await aCluster({ nodes: 1 });
  const { kube } = cluster;
  const [machine] = cluster.machines();
  await kube.resource(pods).create(aNewPod('p'));
  const { metadata } = await runs(kube, 'p');
  await cluster.stopKubelet('n1');
  expect([...(machine?.containers.keys() ?? [])]).toEqual([metadata.uid]);
  await kube.resource(pods).delete(at('p'), { gracePeriodSeconds: 0 });
  await until('the machine to have let go', async () => machine?.containers.size === 0);
});

test('delays, leases and grace periods follow the clock of the cluster', async () => {
  const clock = new ManualClock();
  await using cluster = await aCluster({ nodes: 1, clock, delays: { pullMs: 2_000, readyMs: 3_000, stopMs: 4_000 } });
  const { kube } = cluster;
  const pod = () => kube.resource(pods).get(at('p'));
  await kube.resource(pods).create(aNewPod('p', { terminationGracePeriodSeconds: 30 }));
  await step(clock, 1_900);
  expect((await pod()).status?.containerStatuses?.[0]?.state.waiting?.reason).toBe('ContainerCreating');
  await step(clock, 1_000);
  expect([(await pod()).status?.phase, isReady(await pod())]).toEqual(['Running', false]);
  await step(clock, 3_000);
  expect(isReady(await pod())).toBe(true);

  const lease = () => kube.resource(leases).get({ namespace: 'kube-node-lease', name: 'n1' });
  const renewed = (await lease()).spec.renewTime ?? '';
  await step(clock, 10_000);
  expect(Date.parse((await lease()).spec.renewTime ?? '') - Date.parse(renewed)).toBe(10_000);

  await kube.resource(pods).delete(at('p'));
  await step(clock, 3_900);
  expect((await pod()).metadata.deletionTimestamp).toBeDefined();
  await step(clock, 200);
  expect(await kube.resource(pods).find(at('p'))).toBeUndefined();
});

test('a node that was deleted does not come back, nor does its lease', async () => {
  const clock = new ManualClock();
  await using cluster = await aCluster({ nodes: 1, clock });
  const { kube } = cluster;
  await kube.resource(nodes).delete({ name: 'n1' });
  await step(clock, 25_000);
  expect(await kube.resource(nodes).find({ name: 'n1' })).toBeUndefined();
  expect(await kube.resource(leases).find({ namespace: 'kube-node-lease', name: 'n1' })).toBeUndefined();
});
