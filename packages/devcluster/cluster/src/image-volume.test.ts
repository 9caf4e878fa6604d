import { Events } from '@slipway/kube';
import { pods } from '@slipway/kube-objects/kinds/api/pods';
import { until } from '@slipway/kube-objects/testing/until';
import { expect, test } from 'vitest';
import { aStartedCluster } from './testing/started-cluster.js';

test('a kubelet whose ImageVolume is off does not start a pod with such a volume, until it is on', async () => {
  const componentGates = { 'kube-apiserver': { ImageVolume: true } };
  const cluster = await aStartedCluster({ version: '1.34', componentGates });
  await cluster.ready();
  const kube = cluster.kube();
  const spec = {
    nodeName: 'n1',
    containers: [{ name: 'main', image: 'image' }],
    volumes: [{ name: 'data', image: { reference: 'data' } }],
  };
  const metadata = { name: 'held', namespace: 'default' };
  await kube.resource(pods).create({ apiVersion: 'v1', kind: 'Pod', metadata, spec });
  await until('the kubelet to say why', async () => {
    const { items } = await kube.resource(Events).list({ namespace: 'default' });
    return items.some(({ reason }) => reason === 'FailedMount');
  });
  expect((await kube.resource(pods).get(metadata)).status?.phase).toBe('Pending');

  const kubelet = cluster.components.find(({ name }) => name === 'kubelet');
  await kubelet?.restart({ pin: 'ImageVolume=true' });
  await until('the pod to run', async () => (await kube.resource(pods).get(metadata)).status?.phase === 'Running');
}, 30_000);
