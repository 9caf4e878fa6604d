import { type AClusterOptions, aCluster } from '@slipway/devcluster/testing/a-cluster';
import { ManualClock } from '@slipway/kube/testing';
import { nodes } from '@slipway/kube-objects/kinds/api/nodes';
import { type Pod, type PodSpec, podCondition, pods } from '@slipway/kube-objects/kinds/api/pods';
import { until } from '@slipway/kube-objects/testing/until';
import { expect, test } from 'vitest';
// Loaded before time is stepped.
import './exec/run-in-container.js';
import { aPodAsking, firstOf, resizing } from './testing/resizing.js';

/** One node of 4 cpus and 8 Gi whose time is stepped. */
async function aNode(options: AClusterOptions = {}) {
  const clock = new ManualClock();
  const cluster = await aCluster({ nodes: 1, clock, ...options });
  return {
    ...cluster,
    ...resizing(cluster.kube),
    async step(ms: number) {
      for (let at = 0; at < ms; at += 100) await clock.advance(100);
    },
    /** Lets commands begin that are to be run now. */
    async settle() {
      for (let turn = 0; turn < 100; turn++) await clock.advance(0);
    },
    async create(pod: Pod, annotations: Readonly<Record<string, string>> = {}): Promise<Pod> {
      const created = await cluster.kube.resource(pods).create({ ...pod, metadata: { ...pod.metadata, annotations } });
      await clock.advance(100);
      return created;
    },
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
}

const withPreStop = (seconds: number): Partial<PodSpec> => ({
  terminationGracePeriodSeconds: Math.max(10, seconds),
  containers: [{ name: 'main', image: 'i', lifecycle: { preStop: { sleep: { seconds } } } }],
});

const withPreStopCommand = (script: string): Partial<PodSpec> => ({
  containers: [{ name: 'main', image: 'i', lifecycle: { preStop: { exec: { command: ['sh', '-c', script] } } } }],
});

// what | spec | annotation of how long it takes to stop | when it is gone, in seconds | with what it ended
const stops: [string, Partial<PodSpec>, string | undefined, number, number][] = [
  ['stops at once', { terminationGracePeriodSeconds: 10 }, undefined, 0, 0],
  ['takes its time', { terminationGracePeriodSeconds: 10 }, '4s', 4, 0],
  ['does not stop, and is killed', { terminationGracePeriodSeconds: 10 }, '1m', 10, 137],
  ['has a hook that sleeps', withPreStop(3), '2s', 5, 0],
  ['has a hook that sleeps, and is killed', withPreStop(3), '1m', 10, 137],
  ['has a hook that sleeps too long', withPreStop(30), undefined, 10, 0],
  ['has a hook that sleeps too long, and is killed', withPreStop(30), '1m', 12, 137],
  ['has a hook that runs a command', withPreStopCommand('sleep 3'), '2s', 5, 0],
  ['has a hook that fails', withPreStopCommand('sleep 1; exit 1'), undefined, 1, 0],
  ['has a hook that runs too long', withPreStopCommand('sleep 60'), undefined, 10, 0],
  ['has a hook that runs what is not simulated', withPreStopCommand('/srv/drain'), '1s', 1, 0],
];

test.each(stops)('a pod that is deleted and %s', async (_what, spec, stop, seconds, exitCode) => {
  await using node = await aNode();
  const pod = await node.create(
    aPodAsking('p', {}, spec),
    stop === undefined ? {} : { 'sim.slipway.dev/main.stop': stop },
  );
  const ends: (number | undefined)[] = [];
  const end = new AbortController();
  const { resourceVersion = '' } = await node.get(pod).then(({ metadata }) => metadata);
  const watching = (async () => {
    for await (const { type, object } of node.kube.resource(pods).watch({ resourceVersion }, end.signal)) {
      if (type === 'MODIFIED') ends.push(firstOf(object as Pod)?.state.terminated?.exitCode);
    }
  })().catch(() => {});
  await node.kube.resource(pods).delete({ namespace: 'default', name: 'p' }, { gracePeriodSeconds: 10 });
  await node.settle();
  await node.step(Math.max(0, seconds * 1000 - 200));
  const isThere = async () => (await node.kube.resource(pods).find({ namespace: 'default', name: 'p' })) !== undefined;
  expect(seconds === 0 || (await isThere())).toBe(true);
  await node.step(400);
  expect(await isThere()).toBe(false);
  await until('the end to be seen', async () => ends.at(-1) !== undefined);
  end.abort();
  await watching;
  expect(ends.at(-1)).toBe(exitCode);
});

test.each([
  ['sleep 1; exit 1', 10, ['Killing', 'FailedPreStopHook']],
  ['sleep 1', 10, ['Killing']],
  ['sleep 60', 2, ['Killing']],
])('the end of the hook %j within %i seconds is told', async (script, gracePeriodSeconds, expected) => {
  await using node = await aNode();
  const pod = await node.create(aPodAsking('p', {}, withPreStopCommand(script)));
  await node.kube.resource(pods).delete({ namespace: 'default', name: 'p' }, { gracePeriodSeconds });
  await node.settle();
  await node.step(3_000);
  expect((await node.told(pod)).filter((reason) => /Killing|Hook/.test(reason ?? ''))).toEqual(expected);
});

test('a pod that takes longer than it may is stopped: DeadlineExceeded', async () => {
  await using node = await aNode();
  const pod = await node.create(aPodAsking('p', {}, { activeDeadlineSeconds: 5 }));
  await node.step(4_700);
  expect((await node.get(pod)).status?.phase).toBe('Running');
  await node.step(500);
  const { status } = await node.get(pod);
  expect(status).toMatchObject({
    phase: 'Failed',
    reason: 'DeadlineExceeded',
    message: 'Pod was active on the node longer than the specified deadline',
  });
  expect(firstOf({ ...pod, ...(status && { status }) })?.state.terminated).toBeDefined();
});

test('a node that is short of memory takes away the pod that uses most beyond its request, and says so', async () => {
  await using node = await aNode();
  const greedy = await node.create(aPodAsking('greedy', { memory: '1Gi' }), {
    'sim.slipway.dev/main.usage': 'memory=6Gi',
  });
  const modest = await node.create(aPodAsking('modest', { memory: '3Gi' }), {
    'sim.slipway.dev/main.usage': 'memory=3Gi',
  });
  await node.step(500);
  const { status } = await node.get(greedy);
  expect(status).toMatchObject({ phase: 'Failed', reason: 'Evicted' });
  expect(status?.message).toBe(
    'The node was low on resource: memory. Threshold quantity: 0, available: -1Gi. ' +
      'Container main was using 6Gi, request is 1Gi, has larger consumption of memory. ',
  );
  expect(podCondition({ ...greedy, ...(status && { status }) }, 'DisruptionTarget')).toMatchObject({
    reason: 'TerminationByKubelet',
  });
  expect((await node.get(modest)).status?.phase).toBe('Running');
  const pressure = async () => {
    const { status: seen } = await node.kube.resource(nodes).get({ name: 'n1' });
    return seen?.conditions?.find(({ type }) => type === 'MemoryPressure')?.status;
  };
  expect(await pressure()).toBe('True');
  await node.step(301_000);
  expect(await pressure()).toBe('False');
});

test('a pause container that grows evicts no pod, however much it requests', async () => {
  await using node = await aNode();
  const image = 'registry.k8s.io/pause:3.10';
  const containers = [{ name: 'main', image, resources: { requests: { cpu: '10m', memory: '8Mi' } } }];
  const balloon = await node.create(aPodAsking('balloon', {}, { containers }));
  const web = await node.create(aPodAsking('web', { memory: '1Gi' }), { 'sim.slipway.dev/main.usage': 'memory=5Gi' });
  const requests = { cpu: '10m', memory: '7Gi' };
  await node.resize(balloon, { requests });
  await node.step(500);
  expect(firstOf(await node.get(balloon))?.resources?.requests).toEqual(requests);
  expect((await node.get(web)).status?.phase).toBe('Running');
});

test('a pod that is deleted while its kubelet is away ends as failed before it goes, whether it ran or not', async () => {
  await using node = await aNode();
  const held = (name: string) => {
    const pod = aPodAsking(name, {}, { terminationGracePeriodSeconds: 5 });
    return { ...pod, metadata: { ...pod.metadata, name, finalizers: ['example.com/counted'] } };
  };
  const ran = await node.create(held('ran'));
  await node.stopKubelet('n1');
  const waited = await node.create(held('waited'));
  for (const { metadata } of [ran, waited]) {
    await node.kube.resource(pods).delete({ namespace: 'default', name: metadata.name ?? '' });
  }
  await node.step(500);
  expect((await node.get(waited)).status?.phase).toBe('Pending');
  await Promise.all([node.startKubelet('n1'), node.step(6_000)]);
  expect((await node.get(waited)).status?.phase).toBe('Failed');
  expect((await node.get(ran)).status).toMatchObject({
    phase: 'Succeeded',
    containerStatuses: [{ state: { terminated: { exitCode: 0 } } }],
  });
});
