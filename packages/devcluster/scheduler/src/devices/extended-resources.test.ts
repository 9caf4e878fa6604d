import type { Container, Pod } from '@slipway/kube-objects/kinds/api/pods';
import { expect, test } from 'vitest';
import { aDeviceClass } from '../testing/devices.js';
import {
  classesByResource,
  deviceResources,
  extendedClaim,
  isExtendedClaimOf,
  requestsFor,
} from './extended-resources.js';

const gpu = 'example.com/gpu';
const nic = 'example.com/nic';

function aClass(name: string, second: number, extendedResourceName?: string) {
  const made = aDeviceClass(name, { ...(extendedResourceName !== undefined && { extendedResourceName }) });
  return { ...made, metadata: { name, creationTimestamp: `2026-01-01T00:00:0${second}Z` } };
}

function container(name: string, requests: Record<string, string>, restartPolicy?: 'Always'): Container {
  return { name, image: 'image', resources: { requests }, ...(restartPolicy && { restartPolicy }) };
}

function aPod(initContainers: Container[], containers: Container[]): Pod {
  const metadata = { namespace: 'team', name: 'p', uid: 'u1' };
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: { initContainers, containers } };
}

const classes = classesByResource([aClass('gpus', 1, gpu), aClass('nics', 1, nic)]);

test('a class stands for the resource that it names, and for the one that has its name', () => {
  const found = classesByResource([
    aClass('old', 1, gpu),
    aClass('new', 2, gpu),
    aClass('newer', 2, gpu),
    aClass('x', 3),
  ]);
  expect([...found].map(([name, { metadata }]) => [name, metadata.name]).sort()).toEqual([
    ['deviceclass.resource.kubernetes.io/new', 'new'],
    ['deviceclass.resource.kubernetes.io/newer', 'newer'],
    ['deviceclass.resource.kubernetes.io/old', 'old'],
    ['deviceclass.resource.kubernetes.io/x', 'x'],
    [gpu, 'new'],
  ]);
});

test('a node that has a resource by itself needs no devices for it', () => {
  const amounts = new Map([
    ['cpu', 1_000],
    [gpu, 2],
    [nic, 0],
  ]);
  const resources = deviceResources(amounts, classes);
  expect([...resources.keys()]).toEqual([gpu]);
  const pod = aPod([], [container('main', { cpu: '1', [gpu]: '2' })]);
  expect(extendedClaim(pod, new Map([[gpu, 4]]), resources)).toBeUndefined();
  const { claim } = extendedClaim(pod, new Map([[gpu, 0]]), resources) ?? {};
  expect(claim).toMatchObject({
    metadata: { namespace: 'team', generateName: 'p-extended-resources-' },
    spec: {
      devices: { requests: [{ name: 'container-0-request-1', exactly: { deviceClassName: 'gpus', count: 2 } }] },
    },
  });
  expect(claim && isExtendedClaimOf(pod, claim)).toBe(true);
  expect(claim && isExtendedClaimOf({ ...pod, metadata: { ...pod.metadata, uid: 'u2' } }, claim)).toBe(false);
});

// what | init containers | containers | count by request | container, resource and request
const plans: [string, Container[], Container[], Record<string, number>, [string, string, string][]][] = [
  [
    'each container has its own devices',
    [],
    [container('a', { [gpu]: '1', cpu: '1' }), container('b', { [gpu]: '2', [nic]: '1' })],
    { 'container-0-request-1': 1, 'container-1-request-0': 2, 'container-1-request-1': 1 },
    [
      ['a', gpu, 'container-0-request-1'],
      ['b', gpu, 'container-1-request-0'],
      ['b', nic, 'container-1-request-1'],
    ],
  ],
  [
    'an init container has those of the containers that come after it',
    [container('i', { [gpu]: '2' })],
    [container('a', { [gpu]: '1' }), container('b', { [gpu]: '1' }), container('c', { [gpu]: '1' })],
    { 'container-1-request-0': 1, 'container-2-request-0': 1, 'container-3-request-0': 1 },
    [
      ['a', gpu, 'container-1-request-0'],
      ['b', gpu, 'container-2-request-0'],
      ['c', gpu, 'container-3-request-0'],
      ['i', gpu, 'container-1-request-0'],
      ['i', gpu, 'container-2-request-0'],
    ],
  ],
  [
    'init containers share what the largest of them needs beyond that',
    [container('i', { [gpu]: '2' }), container('j', { [gpu]: '4' })],
    [container('a', { [gpu]: '1' })],
    { 'container-1-request-0': 3, 'container-2-request-0': 1 },
    [
      ['a', gpu, 'container-2-request-0'],
      ['i', gpu, 'container-2-request-0'],
      ['i', gpu, 'container-1-request-0'],
      ['j', gpu, 'container-2-request-0'],
      ['j', gpu, 'container-1-request-0'],
    ],
  ],
  [
    'a sidecar keeps its devices, and an init container before it may have them first',
    [container('i', { [gpu]: '1' }), container('s', { [gpu]: '1' }, 'Always'), container('j', { [gpu]: '1' })],
    [container('a', {})],
    { 'container-1-request-0': 1, 'container-2-request-0': 1 },
    [
      ['s', gpu, 'container-1-request-0'],
      ['i', gpu, 'container-1-request-0'],
      ['j', gpu, 'container-2-request-0'],
    ],
  ],
];

test.each(plans)('%s', (_what, init, containers, counts, mappings) => {
  const { requests, mappings: made } = requestsFor(aPod(init, containers), classes);
  expect(Object.fromEntries(requests.map(({ name, exactly }) => [name, exactly?.count]))).toEqual(counts);
  expect(requests.map(({ name }) => name)).toEqual(Object.keys(counts));
  expect(
    made.map(({ containerName, resourceName, requestName }) => [containerName, resourceName, requestName]),
  ).toEqual(mappings);
});
