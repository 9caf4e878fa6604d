import { type Kube, type KubeObject, silentLog } from '@slipway/kube';
import { ManualClock } from '@slipway/kube/testing';
import { ipAddresses, type ServiceCIDR, serviceCidrs } from '@slipway/kube-objects/kinds/api/service-addresses';
import { services } from '@slipway/kube-objects/kinds/api/services';
import { until } from '@slipway/kube-objects/testing/until';
import { expect, onTestFinished, test } from 'vitest';
import { keepAddresses } from './keep-addresses.js';
import { aCluster } from './testing/a-cluster.js';

/** A cluster without nodes whose API server keeps addresses, as one in a process does. */
async function setUp() {
  const clock = new ManualClock();
  const cluster = await aCluster({ nodes: 0, clock });
  const { kube } = cluster;
  const stopping = new AbortController();
  const keeper = keepAddresses({ kube, log: silentLog });
  await keeper.start(stopping.signal);
  onTestFinished(async () => {
    stopping.abort();
    await keeper.stop?.();
    await cluster[Symbol.asyncDispose]();
  });
  return { kube, clock };
}

const at = (name: string) => ({ namespace: 'default', name });

const aService = (name: string, spec: object = {}) =>
  ({ apiVersion: 'v1', kind: 'Service', metadata: at(name), spec: { ports: [{ port: 80 }], ...spec } }) as KubeObject;

const aRange = (name: string, ...cidrs: string[]): ServiceCIDR => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'ServiceCIDR',
  metadata: { name },
  spec: { cidrs },
});

/** Which service has which address, as the addresses say. */
async function held(kube: Kube): Promise<Record<string, string>> {
  const { items } = await kube.resource(ipAddresses).list();
  return Object.fromEntries(items.map(({ metadata, spec }) => [spec.parentRef.name, metadata.name ?? '']));
}

const addressOf = async (kube: Kube, name: string) =>
  (await kube.resource(services).get(at(name))).spec.clusterIP as string;

const readyOf = async (kube: Kube, name: string) =>
  (await kube.resource(serviceCidrs).find({ name }))?.status?.conditions?.[0];

test('each address of a service is an IPAddress, for as long as the service has it', async () => {
  const { kube } = await setUp();
  await kube.resource(services).create(aService('plain') as never);
  await kube.resource(services).create(aService('headless', { clusterIP: 'None' }) as never);
  const address = await addressOf(kube, 'plain');
  await until('its address', async () => (await held(kube)).plain === address);
  expect(await kube.resource(ipAddresses).get({ name: address })).toMatchObject({
    metadata: {
      labels: {
        'ipaddress.kubernetes.io/ip-family': 'IPv4',
        'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
      },
    },
    spec: { parentRef: { resource: 'services', namespace: 'default', name: 'plain' } },
  });
  expect(Object.keys(await held(kube)).sort()).toEqual(['kubernetes', 'plain']);

  await kube.resource(ipAddresses).delete({ name: address });
  await until('the address to be there again', async () => (await held(kube)).plain === address);
  await kube.resource(services).merge(at('plain'), { spec: { type: 'ExternalName', externalName: 'x.example' } });
  await until('the address to be given back', async () => !('plain' in (await held(kube))));
  await kube.resource(services).merge(at('plain'), { spec: { type: 'ClusterIP', externalName: null } });
  await until('another address', async () => 'plain' in (await held(kube)));
  await kube.resource(services).delete(at('plain'));
  await until('that to be given back, too', async () => !('plain' in (await held(kube))));
});

test('an address that others have taken is given to no service', async () => {
  const { kube } = await setUp();
  const taken = (name: string) => ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IPAddress',
    metadata: { name },
    spec: { parentRef: { group: 'gateway.example.com', resource: 'gateways', namespace: 'default', name: 'edge' } },
  });
  for (const name of ['10.96.0.77', '10.96.1.1']) await kube.resource(ipAddresses).create(taken(name));
  await kube.resource(services).create(aService('any') as never);
  expect(await addressOf(kube, 'any')).toBe('10.96.1.2');
  const wanted = kube.resource(services).create(aService('wants', { clusterIP: '10.96.0.77' }) as never);
  await expect(wanted).rejects.toThrow('failed to allocate IP 10.96.0.77: provided IP is already allocated');
});

test('services get addresses of a range that is added, which stays until none needs it', async () => {
  const { kube, clock } = await setUp();
  await kube.resource(serviceCidrs).create(aRange('more', '172.30.0.0/28'));
  await until('the range to be ready', async () => (await readyOf(kube, 'more'))?.status === 'True');
  await kube.resource(services).create(aService('chosen', { clusterIP: '172.30.0.5' }) as never);
  await until('its address', async () => (await held(kube)).chosen === '172.30.0.5');
  for (const outside of ['172.30.0.0', '172.30.0.15', '172.30.0.16']) {
    const refused = kube.resource(services).create(aService('outside', { clusterIP: outside }) as never);
    await expect(refused).rejects.toThrow('the provided network does not match the current range');
  }

  await kube.resource(serviceCidrs).delete({ name: 'more' });
  await until('the range to say why it stays', async () => (await readyOf(kube, 'more'))?.reason === 'Terminating');
  const late = kube.resource(services).create(aService('late', { clusterIP: '172.30.0.6' }) as never);
  await expect(late).rejects.toThrow('the provided network does not match the current range');
  await kube.resource(services).delete(at('chosen'));
  await until('the address to be given back', async () => !('chosen' in (await held(kube))));
  await clock.advance(9_000);
  expect(await kube.resource(serviceCidrs).find({ name: 'more' })).toBeDefined();
  await until('the range to go', async () => {
    await clock.advance(1_000);
    return !(await kube.resource(serviceCidrs).find({ name: 'more' }));
  });
});

test('a range whose addresses another one offers goes at once', async () => {
  const { kube, clock } = await setUp();
  await kube.resource(serviceCidrs).create(aRange('part', '10.96.128.0/24'));
  await until('the range to be ready', async () => (await readyOf(kube, 'part'))?.status === 'True');
  await kube.resource(services).create(aService('chosen', { clusterIP: '10.96.128.5' }) as never);
  await until('its address', async () => (await held(kube)).chosen === '10.96.128.5');
  await kube.resource(serviceCidrs).delete({ name: 'part' });
  await until('the range to go', async () => {
    await clock.advance(1_000);
    return !(await kube.resource(serviceCidrs).find({ name: 'part' }));
  });
  expect(await addressOf(kube, 'chosen')).toBe('10.96.128.5');
});
