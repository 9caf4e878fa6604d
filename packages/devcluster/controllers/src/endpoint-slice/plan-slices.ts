import { type KubeObject, ownerReference, sameJson } from '@slipway/kube';
import type { Endpoint, EndpointPort, EndpointSlice, Service } from '@slipway/kube-objects/kinds/api/services';
import { type Backend, hostnameFor, labelsFor, targetOf } from './backends.js';

/** How the slices of a service become what they should be. */
export interface SlicePlan {
  readonly create: readonly EndpointSlice[];
  readonly update: readonly EndpointSlice[];
  readonly remove: readonly EndpointSlice[];
}

/** Says which controller looks after a slice. */
export const managerLabel = 'endpointslice.kubernetes.io/managed-by';
const manager = 'endpointslice-controller.k8s.io';
export const serviceLabel = 'kubernetes.io/service-name';
/** Endpoints in one slice. */
const most = 100;

/** Whether a slice is one that this controller looks after. */
export function isOurs({ metadata }: KubeObject): boolean {
  return metadata.labels?.[managerLabel] === manager;
}

/** The service that a slice belongs to. */
export function serviceOf({ metadata }: KubeObject): string | undefined {
  return metadata.labels?.[serviceLabel];
}

/**
 * Compares the slices of a service with the pods behind it. An endpoint stays in the slice that it is in; new ones
 * fill slices up before another is made; a service without any endpoints keeps one empty slice.
 */
export function planSlices(
  service: Service,
  backends: readonly Backend[],
  slices: readonly EndpointSlice[],
  zoneOf: (nodeName: string) => string | undefined,
): SlicePlan {
  const labels = labelsFor(service, { [serviceLabel]: service.metadata.name ?? '', [managerLabel]: manager });
  const wanted = byPorts(service, backends, zoneOf);
  const create: EndpointSlice[] = [];
  const update: EndpointSlice[] = [];
  const remove = slices.filter((slice) => !wanted.has(keyOf(slice.ports ?? [])));
  for (const [key, { ports, endpoints }] of wanted) {
    const left = new Map(endpoints);
    const existing = slices.filter((slice) => keyOf(slice.ports ?? []) === key);
    const kept = existing.map((slice) => ({
      slice,
      endpoints: (slice.endpoints ?? []).flatMap((each) => take(left, each)),
    }));
    for (const { slice, endpoints: stay } of kept) {
      const all = [
        ...stay,
        ...[...left.values()].slice(0, Math.max(0, most - stay.length)).flatMap((each) => take(left, each)),
      ];
      const isSpare = all.length === 0 && (endpoints.size > 0 || slice !== existing[0]);
      if (isSpare) remove.push(slice);
      else if (isChanged(slice, all, labels))
        update.push({ ...slice, metadata: { ...slice.metadata, labels }, endpoints: all });
    }
    const rest = [...left.values()];
    const isMissing = rest.length > 0 || existing.length === 0;
    const count = isMissing ? Math.max(1, Math.ceil(rest.length / most)) : 0;
    for (let at = 0; at < count; at++) {
      create.push(newSlice(service, ports, rest.slice(at * most, (at + 1) * most), labels));
    }
  }
  return { create, update, remove };
}

interface Group {
  readonly ports: readonly EndpointPort[];
  /** By UID of the pod. */
  readonly endpoints: ReadonlyMap<string, Endpoint>;
}

/** Pods whose ports differ cannot share a slice. */
function byPorts(service: Service, backends: readonly Backend[], zoneOf: (nodeName: string) => string | undefined) {
  const groups = new Map<string, Group & { endpoints: Map<string, Endpoint> }>();
  for (const backend of backends) {
    const key = keyOf(backend.ports);
    const group = groups.get(key) ?? { ports: backend.ports, endpoints: new Map() };
    groups.set(key, group);
    group.endpoints.set(backend.pod.metadata.uid ?? '', endpointOf(service, backend, zoneOf));
  }
  if (groups.size === 0) groups.set(keyOf([]), { ports: [], endpoints: new Map() });
  return groups;
}

function endpointOf(service: Service, backend: Backend, zoneOf: (nodeName: string) => string | undefined): Endpoint {
  const { pod, address, ready, serving, terminating } = backend;
  const { nodeName } = pod.spec;
  const zone = nodeName && zoneOf(nodeName);
  const hostname = hostnameFor(service, pod);
  return {
    addresses: [address],
    conditions: { ready, serving, terminating },
    ...(hostname && { hostname }),
    targetRef: targetOf(pod),
    ...(nodeName && { nodeName }),
    ...(zone && { zone }),
  };
}

/** The endpoint as it is now, if it still is one; it is not handed out again. */
function take(left: Map<string, Endpoint>, { targetRef }: Endpoint): readonly Endpoint[] {
  const uid = targetRef?.uid ?? '';
  const endpoint = left.get(uid);
  left.delete(uid);
  return endpoint ? [endpoint] : [];
}

function keyOf(ports: readonly EndpointPort[]): string {
  return JSON.stringify(ports.map(({ name, port, protocol, appProtocol }) => [name, port, protocol, appProtocol]));
}

function isChanged(slice: EndpointSlice, endpoints: readonly Endpoint[], labels: Record<string, string>): boolean {
  return !sameJson(slice.endpoints ?? [], endpoints) || !sameJson(slice.metadata.labels, labels);
}

function newSlice(
  service: Service,
  ports: readonly EndpointPort[],
  endpoints: readonly Endpoint[],
  labels: Record<string, string>,
): EndpointSlice {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      generateName: `${service.metadata.name}-`,
      namespace: service.metadata.namespace ?? '',
      labels,
      ownerReferences: [ownerReference(service, { controller: true })],
    },
    addressType: 'IPv4',
    endpoints,
    ports,
  };
}
