import { invalidBecause, oneOf, requiredOneOf, unchanged } from '@slipway/api-machinery/errors/field-checks';
import { duplicate, type FieldError, invalid, required, tooMany } from '@slipway/api-machinery/errors/field-error';
import { firstThree } from '@slipway/api-machinery/errors/first-three';
import {
  labelProblems,
  labelValueProblems,
  qualifiedNameProblems,
  subdomainProblems,
} from '@slipway/api-machinery/errors/names';
import { repeatsIn } from '@slipway/api-machinery/errors/repeats';
import { ageColumn, textColumn } from '@slipway/api-server/registry/columns';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import type { KubeObject } from '@slipway/kube';
import {
  type AddressField,
  addressList,
  addressWarnings,
  canonicalLegacyAddress,
  legacyAddressErrors,
  legacyFamily,
  strictAddressErrors,
} from '@slipway/kube-objects/rules/legacy-addresses';
import { endpointAddressProblems } from './special-addresses.js';
import { strictAddresses } from './strict-addresses.js';

interface EndpointFields {
  addresses?: string[] | null;
  nodeName?: string;
  hostname?: string;
  hints?: HintsFields;
}

interface HintsFields {
  forZones?: { name?: string }[] | null;
  forNodes?: { name?: string }[] | null;
}

interface PortFields {
  name?: string;
  port?: number;
  protocol?: string;
  appProtocol?: string;
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
  validate: validateSlice,
  gatedRules: strictAddresses(addressesOf),
  warnings: (slice) => addressWarnings(addressesOf(slice)),
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

function validateSlice(slice: KubeObject): FieldError[] {
  const endpoints = endpointsOf(slice);
  const type: string = slice.addressType ?? '';
  return [
    ...validatePorts(portsOf(slice)),
    ...(endpoints.length > maxEndpoints
      ? [tooMany('endpoints', endpoints.length, maxEndpoints)]
      : endpoints.flatMap((endpoint, index) => validateEndpoint(endpoint, type, `endpoints[${index}]`))),
    // Kubernetes finds these last.
    ...requiredOneOf('addressType', type, addressTypes),
    ...endpoints.flatMap(({ addresses }, index) => validateCount(addresses ?? [], `endpoints[${index}].addresses`)),
  ];
}

function validateCount(addresses: readonly string[], field: string): FieldError[] {
  if (addresses.length === 0) return [required(field)];
  return addresses.length > maxAddresses ? [tooMany(field, addresses.length, maxAddresses)] : [];
}

function validateEndpoint(endpoint: EndpointFields, type: string, field: string): FieldError[] {
  const { addresses, nodeName, hostname, hints } = endpoint;
  return [
    ...(addresses ?? []).flatMap((address, index) => validateAddress(address, type, `${field}.addresses`, index)),
    ...(nodeName === undefined ? [] : invalidBecause(`${field}.nodeName`, nodeName, subdomainProblems(nodeName))),
    ...(hostname === undefined ? [] : invalidBecause(`${field}.hostname`, hostname, labelProblems(hostname))),
    ...(hints ? validateHints(hints, `${field}.hints`) : []),
  ];
}

function validateAddress(value: string, type: string, list: string, index: number): FieldError[] {
  const field = `${list}[${index}]`;
  if (type === 'FQDN') return validateDomain(value, field);
  const family = { IPv4: 4, IPv6: 6 }[type];
  if (family === undefined) return [];
  const address = { field, value, holds: 'address' } as const;
  const errors = legacyAddressErrors(address);
  if (type === 'IPv6' && errors.length === 0) errors.push(...canonicalErrors(address));
  if (errors.length > 0) return errors;
  return [
    ...(legacyFamily(value) === family ? [] : [invalid(list, value, `must be an ${type} address`)]),
    ...invalidBecause(field, value, endpointAddressProblems(value)),
  ];
}

/** Addresses of IPv6 were held to the strict rules from the start. */
function canonicalErrors(address: AddressField): FieldError[] {
  const errors = strictAddressErrors([address]);
  const canonical = canonicalLegacyAddress(address.value);
  if (errors.length > 0 || canonical === address.value) return errors;
  return [invalid(address.field, address.value, `must be in canonical form ("${canonical}")`)];
}

function validateDomain(domain: string, field: string): FieldError[] {
  if (domain === '') return [required(field)];
  const name = domain.replace(/\.$/, '');
  const problems = subdomainProblems(name);
  if (problems.length > 0) return [invalid(field, name, problems.join(','))];
  if (!name.includes('.')) {
    return [invalid(field, name, 'should be a domain with at least two segments separated by dots')];
  }
  const label = name.split('.').find((each) => labelProblems(each).length > 0);
  return label === undefined ? [] : [invalid(field, label, labelProblems(label).join(','))];
}

const maxHints = 8;

function validateHints({ forZones, forNodes }: HintsFields, field: string): FieldError[] {
  const zones = validateNames(forZones ?? [], labelValueProblems, `${field}.forZones`);
  if ((forZones ?? []).length > maxHints) return zones;
  return [...zones, ...validateNames(forNodes ?? [], subdomainProblems, `${field}.forNodes`)];
}

function validateNames(
  items: readonly { name?: string }[],
  problemsOf: (name: string) => readonly string[],
  field: string,
): FieldError[] {
  if (items.length > maxHints) return [tooMany(field, items.length, maxHints)];
  const names = items.map(({ name = '' }) => name);
  const isTwice = repeatsIn(names);
  return names.flatMap((name, index) => [
    ...(isTwice(index) ? [duplicate(`${field}[${index}].name`, name)] : []),
    ...invalidBecause(`${field}[${index}].name`, name, problemsOf(name)),
  ]);
}

/** Addresses of IPv4 are held to the strict rules by a gate; those of IPv6 always are. */
function addressesOf(slice: KubeObject): AddressField[] {
  if (slice.addressType !== 'IPv4') return [];
  return endpointsOf(slice).flatMap(({ addresses }, index) => addressList(`endpoints[${index}].addresses`, addresses));
}

const protocols = ['SCTP', 'TCP', 'UDP'];

function validatePorts(ports: readonly PortFields[]): FieldError[] {
  if (ports.length > maxPorts) return [tooMany('ports', ports.length, maxPorts)];
  const isTaken = repeatsIn(ports.map(({ name }) => name ?? ''));
  return ports.flatMap(({ name = '', protocol = '', appProtocol }, index) => {
    const field = `ports[${index}]`;
    return [
      ...(name === '' ? [] : invalidBecause(`${field}.name`, name, labelProblems(name))),
      ...(isTaken(index) ? [duplicate(`${field}.name`, name)] : []),
      ...oneOf(`${field}.protocol`, protocol, protocols),
      ...(appProtocol === undefined
        ? []
        : invalidBecause(`${field}.appProtocol`, appProtocol, qualifiedNameProblems(appProtocol))),
    ];
  });
}
