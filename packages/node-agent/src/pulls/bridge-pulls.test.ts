import type { GateSource } from '@slipway/feature-gates';
import { Events, Kube, type KubeObject, silentLog } from '@slipway/kube';
import { inMemoryApi, ManualClock } from '@slipway/kube/testing';
import { expect, onTestFinished, test } from 'vitest';
import { isCurrent, NodePullQueue } from '../api/node-pull-queue.js';
import { PullLimit } from '../api/pull-limit.js';
import { aPull, FakeLimiter } from '../testing/pulls.js';
import { bridgePulls } from './bridge-pulls.js';
import { PullLimitGate } from './pull-limit-gate.js';

const Features = { group: 'features.slipway.dev', plural: 'features' };
const Node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1', uid: 'u1', labels: { pool: 'gpu' } } };

/** A node with a limiter of four slots, and an agent that bridges it. */
function aNode({ flag = true }: { readonly flag?: boolean } = {}) {
  const clock = new ManualClock();
  const api = inMemoryApi({ clock });
  api.seed({ group: '', plural: 'nodes' }, Node);
  const kube = new Kube(api, { clock });
  const limiter = new FakeLimiter(clock);
  limiter.isPinned = !flag;
  const page: GateSource = {
    component: 'slipway-pulls',
    binaryVersion: '0.1',
    list: () => [{ name: 'ParallelImagePullLimit', stage: 'Beta', enabled: flag }],
  };
  const start = () => {
    const gate = new PullLimitGate('n1');
    const reported = gate.over(page);
    const stopping = new AbortController();
    const owner = { apiVersion: 'v1', kind: 'Node', name: 'n1', uid: 'u1' };
    const done = bridgePulls({ kube, owner, log: silentLog, limiter, gate, random: () => 0.5 }, stopping.signal);
    const stop = async () => {
      stopping.abort();
      await pass(5);
      await done;
    };
    onTestFinished(stop);
    return { stop, gate: () => reported.list()[0], reported };
  };
  const pass = async (seconds: number) => {
    for (let done = 0; done < seconds; done += 5) await clock.advance(5_000);
  };
  return {
    api,
    clock,
    limiter,
    start,
    pass,
    queue: () => api.stored(NodePullQueue)[0] as NodePullQueue | undefined,
    limit: (name: string, max: number, spec: object = {}) =>
      kube.resource(PullLimit).create({
        apiVersion: 'pulls.slipway.dev/v1alpha1',
        kind: 'PullLimit',
        metadata: { name, generation: 1, creationTimestamp: '2026-01-01T00:00:00Z' },
        spec: { maxParallelImagePulling: max, ...spec },
      }),
    unlimit: (name: string) => kube.resource(PullLimit).delete({ name }),
    publish(value: boolean | undefined) {
      const metadata = { name: 'parallelimagepulllimit', namespace: 'kube-system' };
      const published = value === undefined ? {} : { published: { value, epoch: 1 } };
      const feature: KubeObject = { apiVersion: 'features.slipway.dev/v1alpha1', kind: 'Feature', metadata };
      const status = { observedGeneration: 1, ...published };
      api.seed(Features, { ...feature, spec: { gate: 'ParallelImagePullLimit' }, status });
      api.endWatches();
    },
  };
}

test('the PullLimit that counts for the node applies, follows its changes, and ends with it', async () => {
  const node = aNode();
  node.start();
  await node.pass(10);
  expect(node.limiter.limit).toBe('4 configuration');
  await node.limit('all', 3);
  await node.pass(10);
  expect(node.limiter.limit).toBe('3 cluster');
  await node.limit('gpu', 1, { nodeSelector: { matchLabels: { pool: 'gpu' } }, priority: 1 });
  await node.limit('cpu', 9, { nodeSelector: { matchLabels: { pool: 'cpu' } }, priority: 2 });
  await node.pass(10);
  expect(node.limiter.limit).toBe('1 cluster');
  expect(node.queue()?.spec).toMatchObject({ limit: 1, limitSource: 'cluster', pullLimit: { name: 'gpu' } });
  await node.unlimit('gpu');
  await node.pass(10);
  expect(node.limiter.limit).toBe('3 cluster');
  await node.unlimit('all');
  await node.pass(10);
  expect(node.limiter.limit).toBe('4 configuration');
  expect(node.queue()?.spec.pullLimit).toBeUndefined();
});

test('a limit is renewed for as long as the API server answers, and expires an hour after it was last heard', async () => {
  const node = aNode();
  node.start();
  await node.limit('all', 3);
  await node.pass(7_200);
  expect(node.limiter.limit).toBe('3 cluster');
  node.api.intercept(() => {
    throw new Error('the API server is away');
  });
  await node.pass(3_500);
  expect(node.limiter.limit).toBe('3 cluster');
  await node.pass(200);
  expect(node.limiter.limit).toBe('4 configuration');
  node.api.intercept(undefined);
  await node.pass(90);
  expect(node.limiter.limit).toBe('3 cluster');
});

test('a limit outlives a restart of its agent, and expires when there is none', async () => {
  const node = aNode();
  const agent = node.start();
  await node.limit('all', 3);
  await node.pass(60);
  await agent.stop();
  await node.pass(60);
  expect(node.limiter.limit).toBe('3 cluster');
  const next = node.start();
  await node.pass(60);
  expect(node.limiter.limit).toBe('3 cluster');
  await next.stop();
  await node.pass(3_700);
  expect(node.limiter.limit).toBe('4 configuration');
});

test('the gate is reported as off only once the limiter has given the limit of the cluster back', async () => {
  const node = aNode();
  const agent = node.start();
  await node.limit('all', 3);
  await node.pass(10);
  expect(agent.gate()).toMatchObject({ enabled: true, follows: true });
  node.limiter.isAway = true;
  node.publish(false);
  await node.pass(30);
  expect(agent.gate()).toMatchObject({ enabled: true });
  node.limiter.isAway = false;
  expect(node.limiter.limit).toBe('3 cluster');
  await node.pass(5);
  expect(agent.gate()).toMatchObject({ enabled: false });
  expect(node.limiter.limit).toBe('4 configuration');
  node.publish(true);
  await node.pass(30);
  expect(agent.gate()).toMatchObject({ enabled: true });
  expect(node.limiter.limit).toBe('3 cluster');
});

test('an agent that starts while the gate is off reports nothing before it has given the limit back', async () => {
  const node = aNode();
  await node.limit('all', 3);
  await node.limiter.setClusterLimit(3, 3_600_000);
  node.publish(false);
  node.limiter.isAway = true;
  const agent = node.start();
  let isReported = false;
  void agent.reported.refresh?.(new AbortController().signal).then(() => {
    isReported = true;
  });
  await node.pass(30);
  expect(isReported).toBe(false);
  node.limiter.isAway = false;
  await node.pass(10);
  expect([isReported, node.limiter.limit]).toEqual([true, '4 configuration']);
  expect(agent.gate()).toMatchObject({ enabled: false });
});

test('a daemon that was started with its gate off takes no limit, and pins the gate', async () => {
  const node = aNode({ flag: false });
  const agent = node.start();
  await node.limit('all', 3);
  await node.pass(30);
  expect(node.limiter.limit).toBe('4 configuration');
  expect(agent.gate()).toMatchObject({ enabled: false, set: true });
  expect(node.queue()?.spec.pullLimit).toBeUndefined();
});

test('a daemon that takes no limit of the cluster, as an earlier one, is bridged all the same', async () => {
  const node = aNode();
  node.limiter.isPinned = true;
  const agent = node.start();
  await node.pass(10);
  expect(node.queue()?.spec).toMatchObject({ limit: 4, limitSource: 'configuration' });
  expect(agent.gate()).toMatchObject({ enabled: true });
  await agent.reported.refresh?.(new AbortController().signal);
  node.publish(false);
  await node.pass(30);
  expect(agent.gate()).toMatchObject({ enabled: true });
});

test('the queue is published with its node as owner, is confirmed, and is not current when its agent ended', async () => {
  const node = aNode();
  const beganMs = node.clock.now();
  node.limiter.pulls = () => ({ waiting: [aPull(node.clock.now() - beganMs)] });
  const agent = node.start();
  await node.pass(600);
  const queue = node.queue();
  expect(queue?.metadata).toMatchObject({ name: 'n1', ownerReferences: [{ kind: 'Node', name: 'n1', uid: 'u1' }] });
  expect(queue?.spec).toMatchObject({ waitingCount: 1, waiting: [{ pods: ['shop/web'] }] });
  expect(queue && isCurrent(queue, node.clock.now())).toBe(true);
  const writes = node.api.requests.filter(({ method, path }) => method === 'PATCH' && path.includes('nodepullqueues'));
  expect(writes.length).toBeLessThanOrEqual(600 / 30 + 2);
  await agent.stop();
  await node.pass(120);
  expect(queue && isCurrent(queue, node.clock.now())).toBe(false);
});

test('events PullWaiting are recorded on pods, also after the limiter was away', async () => {
  const node = aNode();
  const beganMs = node.clock.now();
  node.limiter.pulls = () => ({ limit: 2, waiting: [aPull(node.clock.now() - beganMs)] });
  node.limiter.isAway = true;
  node.start();
  await node.pass(20);
  expect(node.api.stored(Events)).toEqual([]);
  node.limiter.isAway = false;
  await node.pass(50);
  expect(
    node.api
      .stored(Events)
      .map(({ metadata, reason, source, message }) => [metadata.namespace, reason, source, message]),
  ).toEqual(
    ['10s', '1m'].map((waited) => [
      'shop',
      'PullWaiting',
      { component: 'slipway-node-agent', host: 'n1' },
      `Waited ${waited} to pull image "r/web:1": 2 of 2 slots of this node are in use, position 1 of 1`,
    ]),
  );
});
