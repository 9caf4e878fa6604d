import type { KubeObject } from '@slipway/kube';
import type { ServiceSpecFields } from '../kinds/service.js';
import { invalid } from '../registry/status-errors.js';
import type { AdmissionHook, AdmissionReader } from './admission.js';

/** Addresses of services: 10.96.0.0/16 without its first one, which is the API server's. */
const firstAddress = 2;
const addressCount = 65_533;
const firstNodePort = 30_000;
const nodePortCount = 2_768;

/**
 * Gives services their address in the cluster and their node ports, each to one
 * service at a time. Numbers are handed out in turn, so that two creates whose
 * writes are under way do not get the same one.
 */
export function allocateServiceAddresses(): AdmissionHook {
  let nextAddress = 0;
  let nextNodePort = 0;
  return ({ resource, subresource, object, old }, reader) => {
    if (resource.group !== '' || resource.plural !== 'services' || subresource !== '') return;
    const spec: ServiceSpecFields = object.spec;
    if (spec.type === 'ExternalName') {
      for (const field of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy'] as const) delete spec[field];
      return;
    }
    const others = specsOf(reader, object);
    keepAddress(spec, old?.spec);
    const taken = new Set(others.map(({ clusterIP }) => clusterIP));
    if (!spec.clusterIP) {
      spec.clusterIP = free(
        addressCount,
        () => nextAddress++,
        addressAt,
        (address) => taken.has(address),
      );
    } else if (spec.clusterIP !== 'None' && taken.has(spec.clusterIP)) {
      throw refuse(
        object,
        'spec.clusterIPs',
        [spec.clusterIP],
        'failed to allocate IP: provided IP is already allocated',
      );
    }
    spec.clusterIPs = [spec.clusterIP];
    spec.ipFamilies ??= ['IPv4'];
    spec.ipFamilyPolicy ??= 'SingleStack';
    nextNodePort = allocateNodePorts(object, old?.spec, others, nextNodePort);
  };
}

function addressAt(index: number): string {
  const host = firstAddress + index;
  return `10.96.${Math.floor(host / 256)}.${host % 256}`;
}

function specsOf(reader: AdmissionReader, object: KubeObject): ServiceSpecFields[] {
  const isOther = ({ metadata }: KubeObject) =>
    metadata.name !== object.metadata.name || metadata.namespace !== object.metadata.namespace;
  return reader
    .list('services', {})
    .entries.filter((entry) => isOther(entry.object))
    .map((entry) => entry.object.spec);
}

/** An update that leaves the address out keeps it. */
function keepAddress(spec: ServiceSpecFields, old: ServiceSpecFields | undefined): void {
  const given = spec.clusterIP || spec.clusterIPs?.[0];
  const address = given || (old?.type === 'ExternalName' ? undefined : old?.clusterIP);
  if (address) spec.clusterIP = address;
  if (old?.ipFamilies) spec.ipFamilies ??= old.ipFamilies;
}

function free<T>(count: number, draw: () => number, at: (index: number) => T, isTaken: (value: T) => boolean): T {
  for (let attempt = 0; attempt < count; attempt += 1) {
    const value = at(draw() % count);
    if (!isTaken(value)) return value;
  }
  throw new Error('every address of services is taken');
}

/** @returns where the next allocation begins */
function allocateNodePorts(
  object: KubeObject,
  old: ServiceSpecFields | undefined,
  others: readonly ServiceSpecFields[],
  next: number,
): number {
  const spec: ServiceSpecFields = object.spec;
  const wanted =
    spec.type === 'NodePort' || (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false);
  const taken = new Set(others.flatMap(({ ports }) => (ports ?? []).map(({ nodePort }) => nodePort)));
  let drawn = next;
  for (const [index, port] of (spec.ports ?? []).entries()) {
    const before = old?.ports?.find((other) => other.port === port.port && other.protocol === port.protocol);
    if (!wanted) {
      // Going back to an inner service gives the port back, unless the writer insists on it.
      if (port.nodePort !== undefined && port.nodePort === before?.nodePort) delete port.nodePort;
      continue;
    }
    if (!port.nodePort && before?.nodePort) port.nodePort = before.nodePort;
    if (!port.nodePort) {
      port.nodePort = free(
        nodePortCount,
        () => drawn++,
        (place) => firstNodePort + place,
        (one) => taken.has(one),
      );
    } else if (taken.has(port.nodePort)) {
      throw refuse(object, `spec.ports[${index}].nodePort`, port.nodePort, 'provided port is already allocated');
    }
    taken.add(port.nodePort);
  }
  return drawn;
}

function refuse({ metadata }: KubeObject, field: string, value: unknown, detail: string) {
  return invalid('Service', '', metadata.name ?? '', [{ type: 'Invalid', field, value, detail }]);
}
