import { aCluster } from '@slipway/devcluster/testing/a-cluster';
import { InformerFactory, type Kube, silentLog } from '@slipway/kube';
import { ManualClock } from '@slipway/kube/testing';
import { nodes } from '@slipway/kube-objects/kinds/api/nodes';
import { type Pod, type PodSpec, pods } from '@slipway/kube-objects/kinds/api/pods';
import { expect, test } from 'vitest';
import { podCollector } from './pod-collector.js';

const at = (name: string) => ({ namespace: 'default', name });
const held = ['example.com/counted'];
const create = (kube: Kube, name: string, spec: Partial<PodSpec>, finalizers: string[] = []) =>
  kube.resource(pods).create({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', finalizers },
    spec: { containers: [{ name: 'main', image: 'image' }], ...spec },
  } satisfies Pod);

async function aSteppedCluster() {
  const clock = new ManualClock();
  const cluster = await aCluster({ nodes: 2, clock });
  const pass = async (seconds: number) => {
    for (let passed = 0; passed < seconds; passed++) await clock.advance(1_000);
  };
  return { cluster, kube: cluster.kube, pass, [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose]() };
}

test('a pod that is to go and never had a node ends as failed: whoever counts ends waits for it', async () => {
  await using stepped = await aSteppedCluster();
  const { kube, pass } = stepped;
  await create(kube, 'p', { nodeSelector: { never: 'there' } }, held);
  await kube.resource(pods).delete(at('p'));
  await pass(1);
  expect((await kube.resource(pods).get(at('p'))).status?.phase).toBe('Failed');
});

test('pods that are to go leave a node that is out of service, and only such a node', async () => {
  await using stepped = await aSteppedCluster();
  const { cluster, kube, pass } = stepped;
  await create(kube, 'p', { nodeName: 'n1' });
  await create(kube, 'counted', { nodeName: 'n1' }, held);
  await create(kube, 'stays', { nodeName: 'n1' });
  await pass(1);
  await cluster.stopKubelet('n1');
  for (const name of ['p', 'counted']) await kube.resource(pods).delete(at(name));
  const taint = { key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown', effect: 'NoSchedule' };
  await kube.resource(nodes).mutate({ name: 'n1' }, (node) => {
    node.spec = { ...node.spec, taints: [...(node.spec?.taints ?? []), taint as never] };
  });
  await pass(20);
  expect(await kube.resource(pods).find(at('p'))).toBeDefined();
  await pass(40);
  expect(await kube.resource(pods).find(at('p'))).toBeUndefined();
  expect((await kube.resource(pods).get(at('counted'))).status?.phase).toBe('Failed');
  expect((await kube.resource(pods).get(at('stays'))).metadata.deletionTimestamp).toBeUndefined();
});

test('of finished pods beyond the limit the oldest go', async () => {
  await using stepped = await aSteppedCluster();
  const { kube, pass } = stepped;
  const informers = new InformerFactory(kube, { log: silentLog });
  const collector = podCollector({ kube, informers, log: silentLog, keptFinished: 2 });
  informers.start();
  void collector.start();
  for (const name of ['c', 'a', 'd', 'b']) {
    const pod = await create(kube, name, { nodeSelector: { never: 'there' } });
    await kube.resource(pods).replaceStatus({ ...pod, status: { phase: name === 'a' ? 'Failed' : 'Succeeded' } });
    await pass(1);
  }
  await pass(1);
  const left = (await kube.resource(pods).list()).items.map(({ metadata }) => metadata.name);
  expect(left).toEqual(['b', 'd']);
  await collector.stop();
  await informers.stop();
});
