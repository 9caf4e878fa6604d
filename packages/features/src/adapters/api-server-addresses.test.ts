import { expect, test } from 'vitest';
import { addressesIn, assignAddresses, hostsOf } from './api-server-addresses.js';

const slice = (...addresses: string[]) => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { name: 'kubernetes' },
  endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
  ports: [{ name: 'https', port: 6443, protocol: 'TCP' }],
});
const node = (name: string, address: string) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'kubernetes.io/hostname': name } },
  status: { addresses: [{ type: 'InternalIP', address }, { type: 'Hostname', address: name }] }, // biome-ignore format: short
});
const identity = (name: string, hostname?: string) => ({ name, holder: `${name}_1`, hostname });

test('addressesIn() has every address once, also of the sixth version', () => {
  expect(addressesIn([slice('10.0.0.2', '10.0.0.1'), slice('10.0.0.1', 'fd00::1')])).toEqual([
    'https://10.0.0.1:6443',
    'https://10.0.0.2:6443',
    'https://[fd00::1]:6443',
  ]);
  expect(addressesIn([{ ...slice(), ports: [] }])).toEqual([]);
});

const hosts = hostsOf([node('cp-a', '10.0.0.1'), node('cp-b', '10.0.0.2')]);

// API servers | addresses | which is where
const cases: [ReturnType<typeof identity>[], string[], Record<string, string>][] = [
  [[identity('x', 'cp-b'), identity('y', 'cp-a')], ['10.0.0.1', '10.0.0.2'], { x: '10.0.0.2', y: '10.0.0.1' }],
  [[identity('x', 'cp-b'), identity('y', 'elsewhere')], ['10.0.0.2', '10.9.9.9'], { x: '10.0.0.2', y: '10.9.9.9' }],
  [[identity('x'), identity('y')], ['10.9.9.8', '10.9.9.9'], { x: '10.9.9.8', y: '10.9.9.9' }],
  [[identity('x')], ['10.9.9.9'], { x: '10.9.9.9' }],
  [[identity('x'), identity('y')], ['10.9.9.9'], {}],
  [[identity('x', 'cp-a'), identity('y'), identity('z')], ['10.0.0.1', '10.9.9.9'], { x: '10.0.0.1' }],
  [[identity('x')], [], {}],
];

test.each(cases)('assignAddresses() of %j among %j', (identities, addresses, expected) => {
  const assigned = assignAddresses(identities, addressesIn([slice(...addresses)]), hosts);
  expect(Object.fromEntries(assigned.map(({ identity, server }) => [identity, new URL(server).hostname]))).toEqual(
    expected,
  );
});
