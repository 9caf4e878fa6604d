import { type AClusterOptions, aCluster } from '@slipway/devcluster/testing/a-cluster';
import { Events, type Kube } from '@slipway/kube';
import { ManualClock } from '@slipway/kube/testing';
import { nodes } from '@slipway/kube-objects/kinds/api/nodes';
import { isReady, type Pod, type PodSpec, podCondition, pods } from '@slipway/kube-objects/kinds/api/pods';
import { until } from '@slipway/kube-objects/testing/until';
import { expect, test } from 'vitest';

/** Steps time, a second at a time, with some real time for the work in between. */
const step = async (clock: ManualClock, seconds: number) => {
  for (let at = 0; at < seconds; at++) {
    await clock.advance(1000);
    await clock.advance(0);
  }
};
const aSteppedCluster = async (options: AClusterOptions = {}) => {
  const clock = new ManualClock();
  const cluster = await aCluster({ clock, ...options });
  const { kube } = cluster;
  return {
    cluster,
    kube,
    pass: (seconds: number) => step(clock, seconds),
    /** Lets everybody do what is to be done at this moment. */
    work: async () => {
      for (let turn = 0; turn < 20; turn++) await clock.advance(0);
    },
    stop: (index: number) => cluster.kubelets()[index]?.stop(),
    start: (index: number) => cluster.kubelets()[index]?.start(),
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
};

const at = (name: string) => ({ namespace: 'default', name });
const create = (kube: Kube, name: string, spec: Partial<PodSpec> = {}) =>
  kube.resource(pods).create({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec: { nodeName: 'n1', containers: [{ name: 'main', image: 'image' }], ...spec },
  } satisfies Pod);
const pod = (kube: Kube, name: string) => kube.resource(pods).find(at(name));
const node = async (kube: Kube, name: string) => {
  const { spec, status } = await kube.resource(nodes).get({ name });
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const taints = spec?.taints?.map(({ key, effect }) => `${key.replace('node.kubernetes.io/', '')}:${effect}`);
  return { ready: ready?.status, reason: ready?.reason, taints: taints ?? [] };
};
const bearing = (tolerationSeconds: number) => ({
  tolerations: ['unreachable', 'not-ready'].map((key) => ({
    key: `node.kubernetes.io/${key}`,
    operator: 'Exists' as const,
    effect: 'NoExecute' as const,
    tolerationSeconds,
  })),
});

test('it is told when a node comes, and when it goes', async () => {
  await using stepped = await aSteppedCluster({ nodes: 1 });
  const { kube, pass, stop } = stepped;
  await pass(1);
  await stop(0);
  await kube.resource(nodes).delete({ name: 'n1' });
  await pass(1);
  const { items } = await kube.resource(Events).list();
  const told = items.filter(({ source }) => source.component === 'node-controller');
  expect(told.map(({ type, reason, message }) => `${type} ${reason} ${message}`)).toEqual([
    'Normal RegisteredNode Node n1 event: Registered Node n1 in Controller',
    'Normal RemovingNode Node n1 event: Removing Node n1 from Controller',
  ]);
});

test('a silent node becomes unknown after 40 s, its pods unready and then evicted; it comes back clean', async () => {
  await using stepped = await aSteppedCluster({ nodes: 3 });
  const { kube, pass } = stepped;
  await create(kube, 'short', bearing(10));
  await create(kube, 'usual');
  await pass(2);
  await stepped.stop(0);
  await pass(36);
  expect(await node(kube, 'n1')).toEqual({ ready: 'True', reason: 'KubeletReady', taints: [] });
  await pass(10);
  expect(await node(kube, 'n1')).toEqual({
    ready: 'Unknown',
    reason: 'NodeStatusUnknown',
    taints: ['unreachable:NoSchedule', 'unreachable:NoExecute'],
  });
  expect(await node(kube, 'n2')).toMatchObject({ ready: 'True', taints: [] });
  const usual = await pod(kube, 'usual');
  expect([usual && isReady(usual), usual?.status?.phase]).toEqual([false, 'Running']);

  await pass(15);
  const short = await pod(kube, 'short');
  expect(short?.metadata.deletionTimestamp).toBeDefined();
  expect(short && podCondition(short, 'DisruptionTarget')).toMatchObject({ reason: 'DeletionByTaintManager' });
  expect((await pod(kube, 'usual'))?.metadata.deletionTimestamp).toBeUndefined();
  const told = (await kube.resource(Events).list()).items.map(
    ({ reason, involvedObject: { name } }) => `${reason} ${name}`,
  );
  expect(told).toEqual(expect.arrayContaining(['NodeNotReady n1', 'NodeNotReady usual', 'TaintManagerEviction short']));

  await stepped.start(0);
  await pass(12);
  expect(await node(kube, 'n1')).toEqual({ ready: 'True', reason: 'KubeletReady', taints: [] });
  const back = await pod(kube, 'usual');
  expect(back && isReady(back)).toBe(true);
  expect(await pod(kube, 'short')).toBeUndefined();
  await pass(310);
  expect((await pod(kube, 'usual'))?.metadata.uid).toBe(back?.metadata.uid);
});

test('a node that is left over from before becomes unknown, as does one whose kubelet never came', async () => {
  await using stepped = await aSteppedCluster({ nodes: 1 });
  const { kube, pass } = stepped;
  const { status } = await kube.resource(nodes).get({ name: 'n1' });
  await kube
    .resource(nodes)
    .create({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'left-over' }, spec: {}, ...(status && { status }) });
  await kube.resource(nodes).create({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'never-came' }, spec: {} });
  await pass(50);
  expect(await node(kube, 'n1')).toMatchObject({ ready: 'True', taints: [] });
  expect(await node(kube, 'never-came')).toMatchObject({ taints: [] });
  await pass(20);
  expect(await node(kube, 'left-over')).toMatchObject({ ready: 'Unknown', reason: 'NodeStatusUnknown' });
  expect(await node(kube, 'never-came')).toMatchObject({ ready: 'Unknown', reason: 'NodeStatusNeverUpdated' });
});

test('pods that say nothing are evicted from a silent node after five minutes', async () => {
  await using stepped = await aSteppedCluster();
  const { kube, pass } = stepped;
  await create(kube, 'p');
  await pass(2);
  await stepped.stop(0);
  await pass(320);
  expect((await pod(kube, 'p'))?.metadata.deletionTimestamp).toBeUndefined();
  await pass(40);
  expect((await pod(kube, 'p'))?.metadata.deletionTimestamp).toBeDefined();
});

test('of several silent nodes pods are driven from one, and from the next 10 s later', async () => {
  await using stepped = await aSteppedCluster({ nodes: 5 });
  const { kube, pass } = stepped;
  const evicting = async () => {
    const all = await Promise.all(['n1', 'n2', 'n3'].map((name) => node(kube, name)));
    return all.filter(({ taints }) => taints.includes('unreachable:NoExecute')).length;
  };
  await Promise.all([stepped.stop(0), stepped.stop(1)]);
  await pass(42);
  expect(await evicting()).toBe(1);
  await pass(15);
  expect(await evicting()).toBe(2);
  await stepped.stop(2);
  await pass(60);
  expect((await node(kube, 'n3')).taints).toEqual(['unreachable:NoSchedule']);
});

test('when all nodes are silent no pod is evicted', async () => {
  await using stepped = await aSteppedCluster({ nodes: 1 });
  const { kube, pass } = stepped;
  await create(kube, 'p', bearing(0));
  await pass(2);
  await stepped.stop(0);
  await pass(120);
  expect(await node(kube, 'n1')).toMatchObject({ ready: 'Unknown', taints: ['unreachable:NoSchedule'] });
  expect((await pod(kube, 'p'))?.metadata.deletionTimestamp).toBeUndefined();
});

test('a NoExecute taint drives pods away: at once, after a while, or not at all', async () => {
  await using stepped = await aSteppedCluster({ nodes: 1 });
  const { kube, pass } = stepped;
  const tolerating = (tolerationSeconds?: number) => ({
    tolerations: [
      {
        key: 'mine',
        operator: 'Exists' as const,
        ...(tolerationSeconds && { effect: 'NoExecute' as const, tolerationSeconds }),
      },
    ],
  });
  await create(kube, 'at-once');
  await create(kube, 'spared', tolerating(20));
  await create(kube, 'stays', tolerating());
  await pass(1);
  const taint = (taints: readonly object[]) => kube.resource(nodes).merge({ name: 'n1' }, { spec: { taints } });
  await taint([{ key: 'mine', effect: 'NoExecute' }]);
  await pass(10);
  expect(await pod(kube, 'at-once')).toBeUndefined();
  await taint([]);
  await pass(15);
  await taint([{ key: 'mine', effect: 'NoExecute' }]);
  await pass(15);
  expect(await pod(kube, 'spared')).toBeDefined();
  await pass(10);
  expect(await pod(kube, 'spared')).toBeUndefined();
  expect(await pod(kube, 'stays')).toBeDefined();
});

test('a pod that comes to a node with a NoExecute taint is driven away a second later, lest it comes back at once', async () => {
  await using stepped = await aSteppedCluster({ nodes: 1 });
  const { kube, pass } = stepped;
  await kube.resource(nodes).merge({ name: 'n1' }, { spec: { taints: [{ key: 'mine', effect: 'NoExecute' }] } });
  await pass(1);
  await create(kube, 'late');
  await stepped.work();
  const late = await pod(kube, 'late');
  expect([late?.metadata.name, late?.metadata.deletionTimestamp]).toEqual(['late', undefined]);
  await pass(2);
  expect(await pod(kube, 'late')).toBeUndefined();
});

test('pods of a node that was deleted are collected after 40 s, finished or not', async () => {
  await using stepped = await aSteppedCluster();
  const { kube, pass } = stepped;
  await create(kube, 'p');
  await create(kube, 'elsewhere', { nodeName: 'n2' });
  await create(kube, 'nowhere', { nodeName: 'never-was' });
  await pass(2);
  await kube.resource(nodes).delete({ name: 'n1' });
  await pass(35);
  expect(await pod(kube, 'p')).toBeDefined();
  await pass(15);
  expect([await pod(kube, 'p'), await pod(kube, 'nowhere')]).toEqual([undefined, undefined]);
  expect(await pod(kube, 'elsewhere')).toBeDefined();
});

test('a cordon is a taint as well, and goes with it', async () => {
  await using stepped = await aSteppedCluster({ nodes: 1 });
  const { kube, pass } = stepped;
  const cordon = (unschedulable: boolean) => kube.resource(nodes).merge({ name: 'n1' }, { spec: { unschedulable } });
  await cordon(true);
  await pass(1);
  expect((await node(kube, 'n1')).taints).toEqual(['unschedulable:NoSchedule']);
  await cordon(false);
  await pass(1);
  expect((await node(kube, 'n1')).taints).toEqual([]);
});

test('a node that a client creates takes no pods until its kubelet says that it is ready', async () => {
  await using cluster = await aCluster({ nodes: 0 });
  const { kube } = cluster;
  const conditions = (status: 'True' | 'False') => [{ type: 'Ready', status, reason: 'Said', message: 'so' }];
  const allocatable = { cpu: '4', memory: '8Gi', pods: '110' };
  const made = await kube.resource(nodes).create({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'foreign' },
    status: { allocatable, conditions: conditions('False') },
  } as never);
  expect(made.spec?.taints).toEqual([{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }]);
  await create(kube, 'waiting', { nodeName: '' });
  await until('the pod to be told', async () => {
    const { message } = podCondition((await pod(kube, 'waiting')) as Pod, 'PodScheduled') ?? {};
    return message?.includes('had untolerated taint(s)');
  });
  await kube.resource(nodes).mergeStatus({ name: 'foreign' }, { status: { conditions: conditions('True') } });
  await until('the pod to be placed', async () => (await pod(kube, 'waiting'))?.spec.nodeName === 'foreign');
  expect((await node(kube, 'foreign')).taints).toEqual([]);
});
