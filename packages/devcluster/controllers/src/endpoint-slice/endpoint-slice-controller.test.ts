import { aCluster } from '@slipway/devcluster/testing/a-cluster';
import type { Kube } from '@slipway/kube';
import { pods } from '@slipway/kube-objects/kinds/api/pods';
import { endpointSlices, endpoints, type Service, services } from '@slipway/kube-objects/kinds/api/services';
import { until } from '@slipway/kube-objects/testing/until';
import { expect, test } from 'vitest';

const ref = { namespace: 'default', name: 'web' };

async function aWebService(kube: Kube): Promise<void> {
  const spec = { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080, protocol: 'TCP' }] };
  await kube.resource(services).create({ apiVersion: 'v1', kind: 'Service', metadata: ref, spec } as Service);
}

async function aWebPod(kube: Kube, name: string): Promise<void> {
  await kube.resource(pods).create({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'default', name, labels: { app: 'web' } },
    spec: { containers: [{ name: 'main', image: 'image' }] },
  });
}

const slicesOf = async (kube: Kube) =>
  (await kube.resource(endpointSlices).list({ labelSelector: 'kubernetes.io/service-name=web' })).items;
const readyIn = (kube: Kube, count: number) =>
  until(`${count} endpoints`, async () => {
    const found = await slicesOf(kube);
    const ready = found.flatMap((slice) => slice.endpoints ?? []).filter(({ conditions }) => conditions?.ready);
    const subsets = (await kube.resource(endpoints).find(ref))?.subsets ?? [];
    const known = subsets.flatMap(({ addresses = [] }) => addresses);
    return ready.length === count && known.length === count && known.map(({ ip }) => ip);
  });

test('a Service leads to the pods that it selects, as long as they are there', async () => {
  await using cluster = await aCluster();
  const { kube } = cluster;
  await aWebService(kube);
  await readyIn(kube, 0);
  await Promise.all(['a', 'b'].map((name) => aWebPod(kube, name)));
  const addresses = await readyIn(kube, 2);
  const { items } = await kube.resource(pods).list();
  expect(addresses).toEqual(items.map(({ status }) => status?.podIP).sort());
  await kube.resource(pods).merge({ namespace: 'default', name: 'a' }, { metadata: { labels: { app: 'other' } } });
  await readyIn(kube, 1);
  await kube.resource(services).delete(ref);
  await until('its endpoints to go', async () => {
    const gone = (await slicesOf(kube)).length === 0;
    return gone && !(await kube.resource(endpoints).find(ref));
  });
});
