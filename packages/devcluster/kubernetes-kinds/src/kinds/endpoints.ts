import { invalidBecause, oneOf } from '@slipway/api-machinery/errors/field-checks';
import { type FieldError, invalid, required } from '@slipway/api-machinery/errors/field-error';
import { firstThree } from '@slipway/api-machinery/errors/first-three';
import { labelProblems, qualifiedNameProblems, subdomainProblems } from '@slipway/api-machinery/errors/names';
import { ageColumn, textColumn } from '@slipway/api-server/registry/columns';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import type { KubeObject } from '@slipway/kube';
import { type AddressField, addressWarnings, legacyAddressErrors } from '@slipway/kube-objects/rules/legacy-addresses';
import { portProblems } from './port-names.js';
import { endpointAddressProblems } from './special-addresses.js';
import { strictAddresses } from './strict-addresses.js';

interface SubsetFields {
  addresses?: AddressFields[] | null;
  notReadyAddresses?: AddressFields[] | null;
  ports?: { name?: string; port?: number; protocol?: string; appProtocol?: string }[] | null;
}

interface AddressFields {
  ip?: string;
  hostname?: string;
  nodeName?: string;
}

/** What EndpointSlices have replaced; kubectl still lists it, and prunes it when it applies. */
export const endpoints = defineResource({
  group: '',
  version: 'v1',
  kind: 'Endpoints',
  plural: 'endpoints',
  shortNames: ['ep'],
  namespaced: true,
  createdByPut: true,
  message: 'core.v1.Endpoints',
  nameRules: 'last',
  deprecationWarning: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
  defaults(object) {
    for (const { ports } of subsetsOf(object)) for (const port of ports ?? []) port.protocol ||= 'TCP';
  },
  validate: (object) => subsetsOf(object).flatMap((subset, index) => validateSubset(subset, `subsets[${index}]`)),
  gatedRules: strictAddresses(addressesOf),
  warnings: (object) => addressWarnings(addressesOf(object)),
  columns: [
    textColumn('Endpoints', 'Addresses and ports.', (object) => {
      const shown = subsetsOf(object).flatMap(({ addresses, ports }) => withPorts(addresses ?? [], ports ?? []));
      return shown.length === 0 ? '<none>' : firstThree(shown);
    }),
    ageColumn,
  ],
});

function subsetsOf({ subsets }: KubeObject): readonly SubsetFields[] {
  return subsets ?? [];
}

function withPorts(addresses: readonly AddressFields[], ports: NonNullable<SubsetFields['ports']>): readonly string[] {
  if (ports.length === 0) return addresses.map(({ ip = '' }) => ip);
  return ports.flatMap(({ port }) =>
    addresses.map(({ ip = '' }) => (ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`)),
  );
}

const protocols = ['SCTP', 'TCP', 'UDP'];

function validateSubset({ addresses, notReadyAddresses, ports }: SubsetFields, field: string): FieldError[] {
  const [ready, notReady] = [addresses ?? [], notReadyAddresses ?? []];
  const errors: FieldError[] = [];
  if (ready.length + notReady.length === 0) {
    errors.push(required(field, 'must specify `addresses` or `notReadyAddresses`'));
  }
  for (const [name, list] of Object.entries({ addresses: ready, notReadyAddresses: notReady })) {
    for (const [index, address] of list.entries()) {
      errors.push(...validateAddress(address, `${field}.${name}[${index}]`));
    }
  }
  for (const [index, { name = '', port = 0, protocol = '', appProtocol }] of (ports ?? []).entries()) {
    const at = `${field}.ports[${index}]`;
    if (name === '' && (ports ?? []).length > 1) errors.push(required(`${at}.name`));
    errors.push(...portProblems(port).map((problem) => invalid(`${at}.port`, port, problem)));
    errors.push(...oneOf(`${at}.protocol`, protocol, protocols));
    if (appProtocol !== undefined) {
      errors.push(...invalidBecause(`${at}.appProtocol`, appProtocol, qualifiedNameProblems(appProtocol)));
    }
  }
  return errors;
}

function validateAddress({ ip = '', hostname = '', nodeName }: AddressFields, field: string): FieldError[] {
  const ofAddress = legacyAddressErrors({ field: `${field}.ip`, value: ip, holds: 'address' });
  // Two rules look at the address.
  const problems = ofAddress.length > 0 ? ['must be a valid IP address'] : endpointAddressProblems(ip);
  return [
    ...ofAddress,
    ...(hostname === '' ? [] : invalidBecause(`${field}.hostname`, hostname, labelProblems(hostname))),
    ...(nodeName === undefined ? [] : invalidBecause(`${field}.nodeName`, nodeName, subdomainProblems(nodeName))),
    ...invalidBecause(`${field}.ip`, ip, problems),
  ];
}

function addressesOf(object: KubeObject): AddressField[] {
  return subsetsOf(object).flatMap((subset, at) =>
    (['addresses', 'notReadyAddresses'] as const).flatMap((list) =>
      (subset[list] ?? []).map(({ ip = '' }, index) => ({
        field: `subsets[${at}].${list}[${index}].ip`,
        value: ip,
        holds: 'address' as const,
      })),
    ),
  );
}
