import type { ResourceDefinition } from '@slipway/api-server/registry/resource-definition';
import { expect, test } from 'vitest';
import { endpointSlices } from './endpoint-slice.js';
import { endpoints } from './endpoints.js';
import { created, createErrors, row, updateErrors } from './testing/write.js';

const notAnAddress = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
const slice = (more: object = {}) => ({ addressType: 'IPv4', endpoints: [{ addresses: ['10.0.0.1'] }], ...more });

// kind | object | what is wrong with it
const invalids: [ResourceDefinition, object, string[]][] = [
  [endpointSlices, slice(), []],
  [endpointSlices, { endpoints: [] }, ['addressType: Required value']],
  [
    endpointSlices,
    slice({ addressType: 'Mail' }),
    ['addressType: Unsupported value: "Mail": supported values: "FQDN", "IPv4", "IPv6"'],
  ],
  [endpointSlices, slice({ endpoints: [{ addresses: [] }] }), ['endpoints[0].addresses: Required value']],
  [
    endpointSlices,
    slice({ endpoints: [{ addresses: ['x'] }] }),
    [`endpoints[0].addresses[0]: Invalid value: "x": ${notAnAddress}`],
  ],
  [
    endpointSlices,
    slice({ endpoints: [{ addresses: ['2001:db8::1'] }] }),
    ['endpoints[0].addresses: Invalid value: "2001:db8::1": must be an IPv4 address'],
  ],
  [
    endpointSlices,
    slice({ endpoints: [{ addresses: ['127.0.0.1', '169.254.0.1', '010.0.0.1'] }] }),
    [
      'endpoints[0].addresses[1]: Invalid value: "169.254.0.1": may not be in the link-local range (169.254.0.0/16, fe80::/10)',
      'endpoints[0].addresses[2]: Invalid value: "010.0.0.1": must not have leading 0s',
    ],
  ],
  [endpointSlices, slice({ addressType: 'FQDN', endpoints: [{ addresses: ['example.com'] }] }), []],
  [endpointSlices, slice({ ports: [{ port: 1 }, { port: 2 }] }), ['ports[1].name: Duplicate value: ""']],
  [
    endpointSlices,
    slice({ ports: [{ protocol: 'X' }] }),
    ['ports[0].protocol: Unsupported value: "X": supported values: "SCTP", "TCP", "UDP"'],
  ],
  [endpoints, {}, []],
  [endpoints, { subsets: [{}] }, ['subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`']],
  [
    endpoints,
    { subsets: [{ addresses: [{ ip: 'x' }] }] },
    [
      `subsets[0].addresses[0].ip: Invalid value: "x": ${notAnAddress}`,
      'subsets[0].addresses[0].ip: Invalid value: "x": must be a valid IP address',
    ],
  ],
  [
    endpoints,
    { subsets: [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 80 }, { name: 'b', port: 0 }] }] },
    [
      'subsets[0].ports[0].name: Required value',
      'subsets[0].ports[1].port: Invalid value: 0: must be between 1 and 65535, inclusive',
    ],
  ],
];

test.each(invalids.map(([definition, object, errors]) => ({ definition, object, errors, kind: definition.kind })))(
  '$kind: $errors',
  ({ definition, object, errors }) => {
    expect(createErrors(definition, object)).toEqual(errors);
  },
);

test('EndpointSlice keeps its address type', () => {
  expect(updateErrors(endpointSlices, slice(), slice({ addressType: 'IPv6', endpoints: [] }))).toEqual([
    'addressType: Invalid value: "IPv6": field is immutable',
  ]);
});

const addresses = ['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4'];

// kind | object | row of kubectl get
const rows: [ResourceDefinition, object, object][] = [
  [endpoints, {}, { ENDPOINTS: '<none>' }],
  [endpoints, { subsets: [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 80 }] }] }, { ENDPOINTS: '10.0.0.1:80' }],
  [
    endpoints,
    { subsets: [{ addresses: addresses.map((ip) => ({ ip })), ports: [{ port: 80 }] }] },
    { ENDPOINTS: '10.0.0.1:80,10.0.0.2:80,10.0.0.3:80 + 1 more...' },
  ],
  [endpointSlices, slice({ endpoints: [] }), { ADDRESSTYPE: 'IPv4', PORTS: '<unset>', ENDPOINTS: '<unset>' }],
  [
    endpointSlices,
    slice({ ports: [{ port: 80 }], endpoints: addresses.map((address) => ({ addresses: [address] })) }),
    { PORTS: '80', ENDPOINTS: '10.0.0.1,10.0.0.2,10.0.0.3 + 1 more...' },
  ],
];

test.each(rows.map(([definition, object, shown]) => ({ definition, object, shown, kind: definition.kind })))(
  '$kind shows $shown',
  ({ definition, object, shown }) => {
    expect(row(definition, created(definition, object))).toMatchObject(shown);
  },
);
