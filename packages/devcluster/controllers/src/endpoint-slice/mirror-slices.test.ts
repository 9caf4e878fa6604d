import { aCluster } from '@slipway/devcluster/testing/a-cluster';
import {
  type Endpoints,
  endpointSlices,
  endpoints,
  type Service,
  services,
} from '@slipway/kube-objects/kinds/api/services';
import { until } from '@slipway/kube-objects/testing/until';
import { expect, test } from 'vitest';
import { isMirrored, planMirrors } from './mirror-slices.js';

const metadata = { namespace: 'default', name: 'db', uid: 'u' };
const written: Endpoints = {
  apiVersion: 'v1',
  kind: 'Endpoints',
  metadata: {
    ...metadata,
    labels: { tier: 'data' },
    annotations: { kept: 'yes', 'endpoints.kubernetes.io/last-change-trigger-time': 'now' },
  },
  subsets: [
    {
      addresses: [{ ip: '10.0.0.1', hostname: 'a' }, { ip: '2001:db8::1' }],
      notReadyAddresses: [{ ip: '10.0.0.2', nodeName: 'n1' }],
      ports: [{ name: 'tcp', port: 5432, protocol: 'TCP' }],
    },
    { addresses: [{ ip: '10.0.0.3' }], ports: [{ port: 53, protocol: 'UDP' }] },
  ],
};
const service = (spec: Service['spec']): Service => ({ apiVersion: 'v1', kind: 'Service', metadata, spec });

test('planMirrors() has a slice for each family of addresses and set of ports', () => {
  const { create, update, remove } = planMirrors(written, []);
  expect([update, remove]).toEqual([[], []]);
  expect(create.map(({ addressType, endpoints: all, ports }) => [addressType, all, ports])).toEqual([
    [
      'IPv4',
      [
        { addresses: ['10.0.0.1'], conditions: { ready: true }, hostname: 'a' },
        { addresses: ['10.0.0.2'], conditions: { ready: false }, nodeName: 'n1' },
      ],
      [{ name: 'tcp', port: 5432, protocol: 'TCP' }],
    ],
    [
      'IPv6',
      [{ addresses: ['2001:db8::1'], conditions: { ready: true } }],
      [{ name: 'tcp', port: 5432, protocol: 'TCP' }],
    ],
    ['IPv4', [{ addresses: ['10.0.0.3'], conditions: { ready: true } }], [{ name: '', port: 53, protocol: 'UDP' }]],
  ]);
  expect(create[0]?.metadata).toMatchObject({
    generateName: 'db-',
    labels: {
      tier: 'data',
      'kubernetes.io/service-name': 'db',
      'endpointslice.kubernetes.io/managed-by': 'endpointslicemirroring-controller.k8s.io',
    },
    annotations: { kept: 'yes' },
    ownerReferences: [{ kind: 'Endpoints', name: 'db', uid: 'u', controller: true }],
  });
});

test('planMirrors() writes nothing that is there, changes what differs, and removes what is left', () => {
  const { create } = planMirrors(written, []);
  expect(planMirrors(written, create)).toEqual({ create: [], update: [], remove: [] });
  const fewer = planMirrors(
    { ...written, subsets: [{ ...written.subsets?.[0], addresses: [{ ip: '10.0.0.9' }] }] },
    create,
  );
  expect(fewer.create).toEqual([]);
  expect(fewer.update.map(({ endpoints: all }) => all?.map(({ addresses }) => addresses[0]))).toEqual([
    ['10.0.0.9', '10.0.0.2'],
  ]);
  expect(fewer.remove).toEqual(create.slice(1));
});

test.each([
  ['a service without selector', written, service({}), true],
  ['no service', written, undefined, false],
  ['a service whose endpoints a controller writes', written, service({ selector: { app: 'db' } }), false],
  [
    'endpoints that are not to be mirrored',
    { ...written, metadata: { ...metadata, labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } } },
    service({}),
    false,
  ],
  [
    'a lock of leaders',
    { ...written, metadata: { ...metadata, annotations: { 'control-plane.alpha.kubernetes.io/leader': '{}' } } },
    service({}),
    false,
  ],
])('isMirrored(): %s', (_, given, its, expected) => {
  expect(isMirrored(given, its)).toBe(expected);
});

test('Endpoints that a user writes are mirrored until they, or their service, go', async () => {
  await using cluster = await aCluster();
  const { kube } = cluster;
  const ref = { namespace: 'default', name: 'db' };
  const mirrored = async () => {
    const { items } = await kube.resource(endpointSlices).list({ labelSelector: 'kubernetes.io/service-name=db' });
    return items.flatMap((slice) => (slice.endpoints ?? []).flatMap(({ addresses }) => addresses)).join();
  };
  const spec = { ports: [{ port: 80, targetPort: 80, protocol: 'TCP' }] };
  await kube.resource(services).create({ apiVersion: 'v1', kind: 'Service', metadata: ref, spec } as Service);
  const first = await kube.resource(endpoints).create({ ...written, metadata: ref });
  await until(
    'the mirrors',
    async () => (await mirrored()).split(',').sort().join() === '10.0.0.1,10.0.0.2,10.0.0.3,2001:db8::1',
  );
  const ports = [{ port: 80, protocol: 'TCP' }];
  await kube.resource(endpoints).replace({ ...first, subsets: [{ addresses: [{ ip: '10.0.0.4' }], ports }] });
  await until('what was changed', async () => (await mirrored()) === '10.0.0.4');
  await kube.resource(endpoints).delete(ref);
  await until('the mirrors to go', async () => (await mirrored()) === '');
});
