import { aCluster } from '@slipway/devcluster/testing/a-cluster';
import { Kube, UnreachableError } from '@slipway/kube';
import { nodes } from '@slipway/kube-objects/kinds/api/nodes';
import { isReady, type Pod, pods } from '@slipway/kube-objects/kinds/api/pods';
import { until } from '@slipway/kube-objects/testing/until';
import { expect, test } from 'vitest';
import { NodeNetwork } from './node-network.js';

const aPod = (name: string, nodeName: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: { nodeName, containers: [{ name: 'main', image: 'image' }] },
});

test('NodeNetwork cuts requests and watches of one node only, until it is mended', async () => {
  await using cluster = await aCluster({ nodes: 0 });
  const network = new NodeNetwork();
  const of = (name: string) => new Kube(network.through(name, cluster.kube.transport)).resource(nodes);
  const [one, two] = [of('n1'), of('n2')];
  const watching = (async () => {
    for await (const _ of one.watch({}, new AbortController().signal));
  })();
  watching.catch(() => {});
  await one.list();
  network.cut('n1');
  await expect(one.list()).rejects.toThrow(UnreachableError);
  await expect(watching).rejects.toThrow(UnreachableError);
  expect((await two.list()).items).toEqual([]);
  network.mend('n1');
  expect((await one.list()).items).toEqual([]);
});

test('a kubelet that is cut off neither hears nor says anything, and catches up when it is back', async () => {
  const network = new NodeNetwork();
  await using cluster = await aCluster({ network });
  const client = cluster.kube.resource(pods);
  const at = (name: string) => ({ namespace: 'default', name });
  const ready = (name: string) => until(`${name} to be ready`, async () => isReady(await client.get(at(name))));
  await client.create(aPod('before', 'n1'));
  await ready('before');
  network.cut('n1');
  await client.create(aPod('during', 'n1'));
  await client.delete(at('before'));
  await client.create(aPod('elsewhere', 'n2'));
  await ready('elsewhere');
  expect((await client.get(at('before'))).metadata.deletionTimestamp).toBeDefined();
  expect((await client.get(at('during'))).status?.phase).toBe('Pending');
  network.mend('n1');
  await ready('during');
  await until('before to go', async () => !(await client.find(at('before'))));
});

test('a kubelet that starts while it is cut off registers once it is back', async () => {
  const network = new NodeNetwork();
  await using cluster = await aCluster({ nodes: 1, network });
  const client = cluster.kube.resource(nodes);
  await cluster.kubelets()[0]?.stop();
  await client.delete({ name: 'n1' });
  network.cut('n1');
  await cluster.kubelets()[0]?.start();
  expect(await client.find({ name: 'n1' })).toBeUndefined();
  network.mend('n1');
  await until('n1 to register', async () => client.find({ name: 'n1' }));
});
