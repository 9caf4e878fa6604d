import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import type { EndpointSlice, Service } from '@slipway/kube-objects/kinds/api/services';
import { aPod } from '@slipway/kube-objects/testing/objects';
import { expect, test } from 'vitest';
import { backendsOf, hasOwnEndpoints } from './backends.js';
import { planSlices } from './plan-slices.js';
import { subsetsOf } from './subsets.js';

const http = { name: 'http', protocol: 'TCP', port: 80, targetPort: 8080 };

function aService(spec: Partial<Service['spec']> = {}, labels: Record<string, string> = {}): Service {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web', namespace: 'default', uid: 'uid-of-web', labels },
    spec: { type: 'ClusterIP', clusterIP: '10.96.0.9', selector: { app: 'a' }, ports: [http], ...spec },
  };
}

/** A pod with an address made of its number: ready, `unready` or `leaving`. */
function pod(number: number, state: 'ready' | 'unready' | 'leaving' = 'ready', port = 8080): Pod {
  return aPod(`p${number}`, {
    metadata: { uid: `u${number}`, ...(state === 'leaving' && { deletionTimestamp: '2026-01-01T00:00:00Z' }) },
    spec: { nodeName: 'n1', containers: [{ name: 'main', ports: [{ name: 'web', containerPort: port }] }] },
    status: {
      phase: 'Running',
      podIP: `10.0.0.${number}`,
      conditions: [{ type: 'Ready', status: state === 'unready' ? 'False' : 'True' }],
    },
  });
}

const plan = (service: Service, pods: readonly Pod[], slices: readonly EndpointSlice[] = []) =>
  planSlices(service, backendsOf(service, pods), slices, () => 'zone-a');
const many = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => pod(from + index));
const sizes = (slices: readonly EndpointSlice[]) => slices.map((slice) => slice.endpoints?.length);
const named = (slices: readonly EndpointSlice[]) =>
  slices.map((slice, index) => ({ ...slice, metadata: { ...slice.metadata, name: `s${index}` } }));

test('planSlices() says of each pod where it is and whether it takes connections', () => {
  const { create } = plan(aService({}, { team: 'a' }), [pod(1), pod(2, 'unready'), pod(3, 'leaving')]);
  expect(create).toHaveLength(1);
  expect(create[0]).toMatchObject({
    addressType: 'IPv4',
    ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
    metadata: {
      generateName: 'web-',
      labels: {
        team: 'a',
        'kubernetes.io/service-name': 'web',
        'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
      },
      ownerReferences: [{ kind: 'Service', name: 'web', controller: true }],
    },
  });
  const conditions = create[0]?.endpoints?.map(({ addresses, conditions: each }) => [addresses[0], each]);
  expect(conditions).toEqual([
    ['10.0.0.1', { ready: true, serving: true, terminating: false }],
    ['10.0.0.2', { ready: false, serving: false, terminating: false }],
    ['10.0.0.3', { ready: false, serving: true, terminating: true }],
  ]);
  expect(create[0]?.endpoints?.[0]).toMatchObject({
    nodeName: 'n1',
    zone: 'zone-a',
    targetRef: { kind: 'Pod', name: 'p1' },
  });
});

test('planSlices() puts a hundred endpoints in a slice, and fills those there are first', () => {
  const { create } = plan(aService(), many(0, 150));
  expect(sizes(create)).toEqual([100, 50]);
  const slices = named(create);
  expect(plan(aService(), many(0, 150), slices)).toEqual({ create: [], update: [], remove: [] });
  const grown = plan(aService(), many(0, 210), slices);
  expect([sizes(grown.create), sizes(grown.update)]).toEqual([[10], [100]]);
});

test('planSlices() leaves endpoints where they are, and takes slices away that are empty', () => {
  const slices = named(plan(aService(), many(0, 150)).create);
  const shrunk = plan(aService(), many(100, 150), slices);
  expect([shrunk.create, shrunk.update, shrunk.remove]).toEqual([[], [], [slices[0]]]);
});

test('planSlices() keeps one empty slice for a service that leads nowhere', () => {
  const [empty] = plan(aService(), []).create;
  expect([empty?.endpoints, empty?.ports]).toEqual([[], []]);
  expect(plan(aService(), [], named([empty as EndpointSlice]))).toEqual({ create: [], update: [], remove: [] });
  const first = plan(aService(), [pod(1)], named([empty as EndpointSlice]));
  expect([sizes(first.create), first.remove.length]).toEqual([[1], 1]);
});

test('planSlices() separates pods on which the name of a port means different numbers', () => {
  const service = aService({ ports: [{ ...http, targetPort: 'web' }] });
  const { create } = plan(service, [pod(1), pod(2, 'ready', 9090)]);
  expect(create.map(({ ports }) => ports?.map(({ port }) => port))).toEqual([[8080], [9090]]);
});

test('planSlices() follows the labels of the service', () => {
  const slices = named(plan(aService({}, { team: 'a' }), [pod(1)]).create);
  const { update } = plan(aService({ clusterIP: 'None' }, { team: 'b' }), [pod(1)], slices);
  expect(update[0]?.metadata.labels).toMatchObject({ team: 'b', 'service.kubernetes.io/headless': '' });
});

test('planSlices() publishes pods that are not ready where the service says so', () => {
  const { create } = plan(aService({ publishNotReadyAddresses: true }), [pod(1, 'unready')]);
  expect(create[0]?.endpoints?.[0]?.conditions).toEqual({ ready: true, serving: false, terminating: false });
});

test('backendsOf() leaves out pods that have no address or have ended', () => {
  const ended = { ...pod(2), status: { ...pod(2).status, phase: 'Succeeded' as const } };
  const starting = { ...pod(3), status: { phase: 'Pending' as const } };
  expect(backendsOf(aService(), [pod(1), ended, starting]).map(({ address }) => address)).toEqual(['10.0.0.1']);
});

test.each([
  [{}, true],
  [{ type: 'ExternalName' as const }, false],
  [{ selector: undefined } as never, false],
])('hasOwnEndpoints() of a service with %j', (spec: Partial<Service['spec']>, expected) => {
  expect(hasOwnEndpoints(aService(spec))).toBe(expected);
});

test('subsetsOf() sorts ready and other addresses, without pods on their way out', () => {
  const service = aService();
  const pods = [pod(2), pod(1), pod(3, 'unready'), pod(4, 'leaving')];
  const shown = subsetsOf(service, backendsOf(service, pods)).map((subset) => ({
    ready: subset.addresses?.map(({ ip }) => ip),
    notReady: subset.notReadyAddresses?.map(({ ip }) => ip),
    ports: subset.ports,
  }));
  expect(shown).toEqual([
    { ready: ['10.0.0.1', '10.0.0.2'], notReady: ['10.0.0.3'], ports: [{ name: 'http', port: 8080, protocol: 'TCP' }] },
  ]);
});
