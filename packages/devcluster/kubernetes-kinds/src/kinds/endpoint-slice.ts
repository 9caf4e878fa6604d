import { isIP } from 'node:net';
import type { FieldError } from '@slipway/api-machinery/errors/field-error';
import {
  duplicate,
  invalid,
  invalidBecause,
  notSupported,
  required,
  tooMany,
  unchanged,
} from '@slipway/api-machinery/errors/field-error';
import { firstThree } from '@slipway/api-machinery/errors/first-three';
import { labelProblems } from '@slipway/api-machinery/errors/names';
import { repeatsIn } from '@slipway/api-machinery/errors/repeats';
import { ageColumn, textColumn } from '@slipway/api-server/registry/columns';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import type { KubeObject } from '@slipway/kube';

interface EndpointFields {
  addresses?: string[] | null;
  conditions?: object;
}

interface PortFields {
  name?: string;
  port?: number;
  protocol?: string;
}

export const endpointSlices = defineResource({
  group: 'discovery.k8s.io',
  version: 'v1',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
  namespaced: true,
  message: 'discovery.v1.EndpointSlice',
  generation: ['addressType', 'endpoints', 'ports', 'labels'],
  defaults(slice) {
    for (const port of portsOf(slice)) {
      port.name ??= '';
      port.protocol ??= 'TCP';
    }
  },
  validate: (slice) => [...validateEndpoints(slice), ...validatePorts(portsOf(slice))],
  validateUpdate: ({ addressType }, old) => unchanged('addressType', addressType, old.addressType, (a, b) => a === b),
  columns: [
    textColumn('AddressType', 'What kind of addresses the endpoints have.', ({ addressType }) => addressType ?? ''),
    textColumn('Ports', 'Ports that all endpoints have.', (slice) =>
      firstThree(portsOf(slice).map(({ port, name }) => (port === undefined ? (name ?? '*') : String(port)))),
    ),
    textColumn('Endpoints', 'Addresses.', (slice) =>
      firstThree(endpointsOf(slice).flatMap(({ addresses }) => addresses ?? [])),
    ),
    ageColumn,
  ],
});

function endpointsOf({ endpoints }: KubeObject): readonly EndpointFields[] {
  return endpoints ?? [];
}

function portsOf({ ports }: KubeObject): readonly PortFields[] {
  return ports ?? [];
}

const addressTypes = ['FQDN', 'IPv4', 'IPv6'];
const maxEndpoints = 1000;
const maxAddresses = 100;
const maxPorts = 20_000;

function validateEndpoints(slice: KubeObject): FieldError[] {
  const endpoints = endpointsOf(slice);
  const type: string = slice.addressType ?? '';
  const errors: FieldError[] = [];
  if (type === '') errors.push(required('addressType'));
  else if (!addressTypes.includes(type)) errors.push(notSupported('addressType', type, addressTypes));
  if (endpoints.length > maxEndpoints) return [...errors, tooMany('endpoints', endpoints.length, maxEndpoints)];
  for (const [index, { addresses }] of endpoints.entries()) {
    const field = `endpoints[${index}].addresses`;
    const list = addresses ?? [];
    if (list.length === 0) errors.push(required(field));
    if (list.length > maxAddresses) errors.push(tooMany(field, list.length, maxAddresses));
    const version = { IPv4: 4, IPv6: 6 }[type];
    for (const [at, address] of version ? list.entries() : []) {
      if (isIP(address) === version) continue;
      const known = isIP(address) !== 0;
      errors.push(
        known
          ? invalid(field, address, `must be an ${type} address`)
          : invalid(`${field}[${at}]`, address, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'),
      );
    }
  }
  return errors;
}

const protocols = ['SCTP', 'TCP', 'UDP'];

function validatePorts(ports: readonly PortFields[]): FieldError[] {
  if (ports.length > maxPorts) return [tooMany('ports', ports.length, maxPorts)];
  const isTaken = repeatsIn(ports.map(({ name }) => name ?? ''));
  return ports.flatMap(({ name = '', protocol = '' }, index) => {
    const field = `ports[${index}]`;
    return [
      ...(name === '' ? [] : invalidBecause(`${field}.name`, name, labelProblems(name))),
      ...(isTaken(index) ? [duplicate(`${field}.name`, name)] : []),
      ...(protocols.includes(protocol) ? [] : [notSupported(`${field}.protocol`, protocol, protocols)]),
    ];
  });
}
