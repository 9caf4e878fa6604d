import { isIP } from 'node:net';
import type { FieldError } from '@slipway/api-machinery/errors/field-error';
import { invalid, notSupported, required } from '@slipway/api-machinery/errors/field-error';
import { firstThree } from '@slipway/api-machinery/errors/first-three';
import { ageColumn, textColumn } from '@slipway/api-server/registry/columns';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import type { KubeObject } from '@slipway/kube';
import { portProblems } from './port-names.js';

interface SubsetFields {
  addresses?: AddressFields[] | null;
  notReadyAddresses?: AddressFields[] | null;
  ports?: { name?: string; port?: number; protocol?: string }[] | null;
}

interface AddressFields {
  ip?: string;
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
  deprecationWarning: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
  defaults(object) {
    for (const { ports } of subsetsOf(object)) for (const port of ports ?? []) port.protocol ||= 'TCP';
  },
  validate: (object) => subsetsOf(object).flatMap((subset, index) => validateSubset(subset, `subsets[${index}]`)),
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
    for (const [index, { ip = '' }] of list.entries()) {
      const at = `${field}.${name}[${index}].ip`;
      if (isIP(ip) !== 0) continue;
      // Two rules look at it.
      errors.push(invalid(at, ip, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'));
      errors.push(invalid(at, ip, 'must be a valid IP address'));
    }
  }
  for (const [index, { name = '', port = 0, protocol = '' }] of (ports ?? []).entries()) {
    const at = `${field}.ports[${index}]`;
    if (name === '' && (ports ?? []).length > 1) errors.push(required(`${at}.name`));
    errors.push(...portProblems(port).map((problem) => invalid(`${at}.port`, port, problem)));
    if (!protocols.includes(protocol)) errors.push(notSupported(`${at}.protocol`, protocol, protocols));
  }
  return errors;
}
