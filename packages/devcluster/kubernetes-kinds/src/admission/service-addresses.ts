import { internalError, invalid } from '@slipway/api-machinery/errors/status-errors';
import type { AdmissionHook, AdmissionReader } from '@slipway/api-server/attributes/admission';
import type { KubeObject } from '@slipway/kube';
import type { ServicePortFields, ServiceSpecFields } from '@slipway/kube-objects/kinds/service';
import { AddressRange } from '@slipway/kube-objects/rules/address-range';
import { ClusterAddresses } from './cluster-addresses.js';

/** The range that a cluster is started with, where none is configured. Its first address is the API server's. */
export const serviceAddresses = new AddressRange('10.96.0.0/16');

const firstNodePort = 30_000;
const nodePortCount = 2_768;

/** Gives services their address in the cluster and their node ports, each to one service at a time. */
export function allocateServiceAddresses(range: AddressRange = serviceAddresses): AdmissionHook {
  const addresses = new ClusterAddresses(range);
  let nextNodePort = 0;
  return ({ resource, subresource, object, old }, reader) => {
    if (resource.group !== '' || resource.plural !== 'services' || subresource !== '') return;
    const spec: ServiceSpecFields = object.spec;
    if (spec.type === 'ExternalName') {
      dropAddress(spec, old?.spec);
      dropNodePorts(spec, old?.spec);
      return;
    }
    requireSingleStack(object);
    const others = specsOf(reader, object);
    keepAddress(spec, old?.spec);
    if (!spec.clusterIP) spec.clusterIP = addresses.next(object, others, reader);
    else if (spec.clusterIP !== old?.spec.clusterIP) addresses.require(spec.clusterIP, object, others, reader);
    spec.clusterIPs = [spec.clusterIP, ...(spec.clusterIPs ?? []).slice(1)];
    // What selects no pods has addresses of any family.
    const isAny = spec.clusterIP === 'None' && Object.keys(spec.selector ?? {}).length === 0 && !spec.ipFamilies;
    spec.ipFamilyPolicy ??= isAny ? 'RequireDualStack' : 'SingleStack';
    spec.ipFamilies ??= isAny ? ['IPv4', 'IPv6'] : ['IPv4'];
    nextNodePort = allocateNodePorts(object, old?.spec, others, nextNodePort);
  };
}

/**
 * An update to a service without an address gives back the one it had; one that was written by hand stays, and is
 * refused.
 */
function dropAddress(spec: ServiceSpecFields, old: ServiceSpecFields | undefined): void {
  if (spec.clusterIP) spec.clusterIPs ??= [spec.clusterIP];
  if (!old || old.type === 'ExternalName') return;
  if (!spec.clusterIP || spec.clusterIP === old.clusterIP) {
    for (const field of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy'] as const) delete spec[field];
  }
}

/** There are no addresses of IPv6. */
function requireSingleStack(object: KubeObject): void {
  const { ipFamilies, ipFamilyPolicy }: ServiceSpecFields = object.spec;
  const index = (ipFamilies ?? []).indexOf('IPv6');
  if (index >= 0) throw refuse(object, `spec.ipFamilies[${index}]`, 'IPv6', 'not configured on this cluster');
  if (ipFamilyPolicy === 'RequireDualStack') {
    const detail = 'this cluster is not configured for dual-stack services';
    throw refuse(object, 'spec.ipFamilyPolicy', ipFamilyPolicy, detail);
  }
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
  throw internalError('failed to allocate a nodePort: range is full');
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
  if (!wanted) dropNodePorts(spec, old);
  const taken = new Set(others.flatMap(nodePortsOf));
  const had = new Set(old ? nodePortsOf(old) : []);
  let drawn = next;
  const draw = () =>
    free(
      nodePortCount,
      () => drawn++,
      (place) => firstNodePort + place,
      (one) => taken.has(one),
    );
  const take = (field: string, nodePort: number) => {
    const problem = had.has(nodePort) ? undefined : nodePortProblem(nodePort, taken);
    if (problem) throw refuse(object, field, nodePort, problem);
    taken.add(nodePort);
    return nodePort;
  };
  /** Port of the service to port of the nodes: one for all protocols, unless the writer says otherwise. */
  const shared = new Map<number | undefined, number>();
  for (const [index, port] of wanted ? (spec.ports ?? []).entries() : []) {
    const before = samePort(old, port);
    const same = shared.get(port.port);
    port.nodePort ||= before?.nodePort || same || requestedFor(port.port, spec.ports ?? []) || draw();
    if (port.nodePort !== same) take(`spec.ports[${index}].nodePort`, port.nodePort);
    shared.set(port.port, port.nodePort);
  }
  if (spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local') {
    spec.healthCheckNodePort ||= old?.healthCheckNodePort || draw();
    take('spec.healthCheckNodePort', spec.healthCheckNodePort);
  }
  return drawn;
}

/** A service that has no ports of nodes any more gives them back, unless the writer insists on others. */
function dropNodePorts(spec: ServiceSpecFields, old: ServiceSpecFields | undefined): void {
  for (const port of spec.ports ?? []) {
    if (port.nodePort !== undefined && port.nodePort === samePort(old, port)?.nodePort) delete port.nodePort;
  }
}

function samePort(old: ServiceSpecFields | undefined, { port, protocol }: ServicePortFields) {
  return old?.ports?.find((other) => other.port === port && other.protocol === protocol);
}

function nodePortsOf({ ports, healthCheckNodePort }: ServiceSpecFields): number[] {
  return [...(ports ?? []).map(({ nodePort }) => nodePort), healthCheckNodePort].filter((one) => one !== undefined);
}

/** What the writer wants for the same port of another protocol. */
function requestedFor(port: number | undefined, ports: readonly ServicePortFields[]): number | undefined {
  return ports.find((other) => other.port === port && other.nodePort)?.nodePort;
}

function nodePortProblem(nodePort: number, taken: ReadonlySet<number>): string | undefined {
  const last = firstNodePort + nodePortCount - 1;
  if (nodePort < firstNodePort || nodePort > last) {
    return `provided port is not in the valid range. The range of valid ports is ${firstNodePort}-${last}`;
  }
  return taken.has(nodePort) ? 'provided port is already allocated' : undefined;
}

function refuse({ metadata }: KubeObject, field: string, value: unknown, detail: string) {
  return invalid('Service', '', metadata.name ?? '', [{ type: 'Invalid', field, value, detail }]);
}
