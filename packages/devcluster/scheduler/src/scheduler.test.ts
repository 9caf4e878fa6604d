import { aCluster } from '@slipway/devcluster/testing/a-cluster';
import { Events, type Kube } from '@slipway/kube';
import { ManualClock } from '@slipway/kube/testing';
import { nodes } from '@slipway/kube-objects/kinds/api/nodes';
import { type Pod, type PodSpec, podCondition, pods } from '@slipway/kube-objects/kinds/api/pods';
import { aNode } from '@slipway/kube-objects/testing/objects';
import { until } from '@slipway/kube-objects/testing/until';
import { expect, test } from 'vitest';
import { at, nodeOf, says } from './testing/placed-pods.js';

function asking(name: string, requests: Record<string, string>, spec: Partial<PodSpec> = {}): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec: { containers: [{ name: 'main', image: 'image', resources: { requests } }], ...spec },
  };
}

const whyNot = async (kube: Kube, name: string) => (await says(kube, name, '')).message;

test('Scheduler gives a pod a node and says so', async () => {
  await using cluster = await aCluster();
  const { kube } = cluster;
  await kube.resource(pods).create(asking('p', { cpu: '1' }));
  const node = await nodeOf(kube, 'p');
  const event = await until('the event', async () =>
    (await kube.resource(Events).list()).items.find(({ reason }) => reason === 'Scheduled'),
  );
  expect(event.message).toBe(`Successfully assigned default/p to ${node}`);
  const pod = await until('the pod to run', async () => {
    const found = await kube.resource(pods).get(at('p'));
    return found.status?.phase === 'Running' && found;
  });
  expect(podCondition(pod, 'PodScheduled')?.status).toBe('True');
});

test('Scheduler says why a pod has no node, and gives it one when a pod makes room', async () => {
  const clock = new ManualClock();
  await using cluster = await aCluster({ nodes: 1, clock });
  const { kube } = cluster;
  await kube.resource(pods).create(asking('first', { cpu: '3' }));
  await nodeOf(kube, 'first');
  await kube.resource(pods).create(asking('second', { cpu: '3' }));
  const message =
    '0/1 nodes are available: 1 Insufficient cpu. ' +
    'no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.';
  expect(await whyNot(kube, 'second')).toBe(message);
  const failed = await until('the event', async () =>
    (await kube.resource(Events).list()).items.find(({ reason }) => reason === 'FailedScheduling'),
  );
  expect([failed.type, failed.message]).toEqual(['Warning', message]);
  await kube.resource(pods).delete(at('first'));
  expect(await nodeOf(kube, 'second', clock)).toBe('n1');
});

test('Scheduler gives waiting pods a node that comes or is opened again', async () => {
  const clock = new ManualClock();
  await using cluster = await aCluster({ nodes: 1, clock });
  const { kube } = cluster;
  await kube.resource(nodes).merge({ name: 'n1' }, { spec: { unschedulable: true } });
  await kube.resource(pods).create(asking('p', {}));
  await whyNot(kube, 'p');
  await kube.resource(nodes).merge({ name: 'n1' }, { spec: { unschedulable: null } });
  expect(await nodeOf(kube, 'p', clock)).toBe('n1');
  await kube.resource(pods).create(asking('q', { cpu: '100' }));
  await whyNot(kube, 'q');
  const { metadata, status } = aNode('big', { allocatable: { cpu: '200', memory: '8Gi', pods: '10' } });
  await kube
    .resource(nodes)
    .create({ apiVersion: 'v1', kind: 'Node', metadata: { name: metadata.name ?? '' }, ...(status && { status }) });
  expect(await nodeOf(kube, 'q', clock)).toBe('big');
});

// what the first node is like when it comes, and what changes then
const firstNodes: [string, object, object][] = [
  ['open', {}, {}],
  ['tainted at first', { taints: [{ key: 'new', effect: 'NoSchedule' }] }, { taints: null }],
  ['cordoned at first', { unschedulable: true }, { unschedulable: null }],
];

test.each(firstNodes)(
  'Scheduler gives pods that are older than every node the first one, %s',
  async (_, spec, then) => {
    const clock = new ManualClock();
    await using cluster = await aCluster({ nodes: 0, clock });
    const { kube } = cluster;
    await kube.resource(pods).create(asking('p', { cpu: '1' }));
    expect(await whyNot(kube, 'p')).toMatch(/^no nodes available to schedule pods/);
    const { status } = aNode('first');
    await kube
      .resource(nodes)
      .create({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'first' }, spec, ...(status && { status }) });
    const sinceMs = clock.monotonicMs();
    await clock.advance(100);
    await kube.resource(nodes).merge({ name: 'first' }, { spec: then });
    expect(await nodeOf(kube, 'p', clock)).toBe('first');
    expect(clock.monotonicMs() - sinceMs).toBeLessThan(12_000);
  },
);

test('Scheduler never gives away more than a node has, however many pods come at once', async () => {
  await using cluster = await aCluster({ nodes: 2, capacity: { cpu: '2', memory: '8Gi', pods: '110' } });
  const { kube } = cluster;
  const names = Array.from({ length: 12 }, (_, index) => `p${index}`);
  await Promise.all(names.map((name) => kube.resource(pods).create(asking(name, { cpu: '500m' }))));
  const all = await until('eight pods placed and four refused', async () => {
    const { items } = await kube.resource(pods).list();
    return items.every((pod) => podCondition(pod, 'PodScheduled')) && items;
  });
  const placed = all.map((pod) => pod.spec.nodeName ?? 'none').sort();
  expect(placed).toEqual([...Array(4).fill('n1'), ...Array(4).fill('n2'), ...Array(4).fill('none')]);
  expect(all.some((pod) => pod.status?.phase === 'Failed')).toBe(false);
});

test('Scheduler makes room for a pod of higher priority, and only as much as it needs', async () => {
  await using cluster = await aCluster({ nodes: 1 });
  const { kube } = cluster;
  for (const name of ['a', 'b']) await kube.resource(pods).create(asking(name, { cpu: '2' }));
  await Promise.all(['a', 'b'].map((name) => nodeOf(kube, name)));
  await kube.resource(pods).create(asking('high', { cpu: '1' }, { priorityClassName: 'system-node-critical' }));
  expect(await nodeOf(kube, 'high')).toBe('n1');
  // A pod that has ended takes no room, and its kubelet deletes it a moment later.
  await until('one pod to go', async () => (await kube.resource(pods).list()).items.length === 2);
  const preempted = await until('the event of the preemption', async () => {
    const found = (await kube.resource(Events).list()).items.filter(({ reason }) => reason === 'Preempted');
    return found.length > 0 && found;
  });
  expect(preempted).toHaveLength(1);
});

// what keeps the pod from the node | its spec | what helps
const hints: [string, Partial<PodSpec>, (kube: Kube) => Promise<unknown>][] = [
  [
    'a selector',
    { nodeSelector: { disk: 'ssd' } },
    (kube) => kube.resource(nodes).merge({ name: 'n1' }, { metadata: { labels: { disk: 'ssd' } } }),
  ],
  [
    'a neighbour that is missing',
    {
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'db' } } },
          ],
        },
      },
    },
    (kube) => {
      const db = asking('db', {});
      return kube.resource(pods).create({ ...db, metadata: { ...db.metadata, labels: { app: 'db' } } });
    },
  ],
];

test.each(hints)(
  'Scheduler tries a pod again at once when %s no longer keeps it from a node',
  async (_what, spec, help) => {
    await using cluster = await aCluster({ nodes: 1, clock: new ManualClock() });
    const { kube } = cluster;
    await kube.resource(pods).create(asking('p', {}, spec));
    await whyNot(kube, 'p');
    await help(kube);
    expect(await nodeOf(kube, 'p')).toBe('n1');
  },
);

test('Scheduler leaves pods alone that are gated or of another scheduler', async () => {
  await using cluster = await aCluster();
  const { kube } = cluster;
  await kube.resource(pods).create(asking('gated', {}, { schedulingGates: [{ name: 'example.com/wait' }] }));
  await kube.resource(pods).create(asking('foreign', {}, { schedulerName: 'other' }));
  await kube.resource(pods).create(asking('ours', {}));
  await nodeOf(kube, 'ours');
  expect((await kube.resource(pods).get(at('foreign'))).spec.nodeName).toBeUndefined();
  expect((await kube.resource(pods).get(at('gated'))).spec.nodeName).toBeUndefined();
  await kube.resource(pods).merge(at('gated'), { spec: { schedulingGates: null } });
  await nodeOf(kube, 'gated');
});
