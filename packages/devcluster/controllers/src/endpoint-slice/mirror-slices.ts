import { isIPv6 } from 'node:net';
import { type KubeObject, ownerReference, sameJson } from '@slipway/kube';
import type {
  Endpoint,
  EndpointAddress,
  EndpointPort,
  EndpointSlice,
  Endpoints,
  Service,
} from '@slipway/kube-objects/kinds/api/services';
import { managerLabel, type SlicePlan, serviceLabel } from './plan-slices.js';

const manager = 'endpointslicemirroring-controller.k8s.io';
const skipLabel = 'endpointslice.kubernetes.io/skip-mirror';
const leaderAnnotation = 'control-plane.alpha.kubernetes.io/leader';
const ownAnnotations = [
  'endpoints.kubernetes.io/last-change-trigger-time',
  'kubectl.kubernetes.io/last-applied-configuration',
];
/** Addresses of one subset that are mirrored. */
const maxAddresses = 1000;

/** Whether a slice is a mirror. */
export function isMirror({ metadata }: KubeObject): boolean {
  return metadata.labels?.[managerLabel] === manager;
}

/** Whether Endpoints are mirrored: those of a Service without selector, which no controller writes. */
export function isMirrored({ metadata }: Endpoints, service: Service | undefined): boolean {
  if (!service || service.spec.selector !== undefined) return false;
  return metadata.labels?.[skipLabel] !== 'true' && metadata.annotations?.[leaderAnnotation] === undefined;
}

/** Compares Endpoints with the slices that mirror them. */
export function planMirrors(endpoints: Endpoints, slices: readonly EndpointSlice[]): SlicePlan {
  const create: EndpointSlice[] = [];
  const update: EndpointSlice[] = [];
  const left = new Set(slices);
  for (const wanted of mirrorsOf(endpoints)) {
    const known = [...left].find((slice) => keyOf(slice) === keyOf(wanted));
    if (!known) {
      create.push(wanted);
      continue;
    }
    left.delete(known);
    const { labels = {}, annotations = {} } = wanted.metadata;
    const metadata = { ...known.metadata, labels, annotations };
    const isSame =
      sameJson(known.endpoints ?? [], wanted.endpoints) &&
      sameJson([known.metadata.labels, known.metadata.annotations ?? {}], [labels, annotations]);
    if (!isSame) update.push({ ...known, metadata, endpoints: wanted.endpoints });
  }
  return { create, update, remove: [...left] };
}

/** The slices that say the same: one for each family of addresses and each set of ports. */
function mirrorsOf({ metadata, subsets = [], ...endpoints }: Endpoints): readonly EndpointSlice[] {
  const byKey = new Map<string, EndpointSlice & { endpoints: Endpoint[] }>();
  for (const { addresses = [], notReadyAddresses = [], ports = [] } of subsets) {
    const all = [
      ...addresses.map((address) => endpointOf(address, true)),
      ...notReadyAddresses.map((address) => endpointOf(address, false)),
    ];
    for (const endpoint of all.slice(0, maxAddresses)) {
      const addressType = isIPv6(endpoint.addresses[0] ?? '') ? 'IPv6' : 'IPv4';
      const slice = newMirror({ ...endpoints, metadata }, addressType, ports.map(portOf));
      const known = byKey.get(keyOf(slice)) ?? slice;
      byKey.set(keyOf(slice), known);
      known.endpoints.push(endpoint);
    }
  }
  return [...byKey.values()];
}

function newMirror(
  endpoints: Endpoints,
  addressType: EndpointSlice['addressType'],
  ports: readonly EndpointPort[],
): EndpointSlice & { endpoints: Endpoint[] } {
  const { name = '', namespace, labels, annotations = {} } = endpoints.metadata;
  const kept = Object.entries(annotations).filter(([key]) => !ownAnnotations.includes(key));
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      generateName: `${name}-`,
      namespace: namespace ?? '',
      labels: { ...labels, [serviceLabel]: name, [managerLabel]: manager },
      annotations: Object.fromEntries(kept),
      ownerReferences: [ownerReference({ ...endpoints, apiVersion: 'v1', kind: 'Endpoints' }, { controller: true })],
    },
    addressType,
    endpoints: [],
    ports,
  };
}

function endpointOf({ ip, hostname, nodeName, targetRef }: EndpointAddress, ready: boolean): Endpoint {
  return {
    addresses: [ip],
    conditions: { ready },
    ...(hostname && { hostname }),
    ...(targetRef && { targetRef }),
    ...(nodeName && { nodeName }),
  };
}

function portOf({
  name = '',
  port,
  protocol,
  appProtocol,
}: Omit<EndpointPort, 'name'> & { readonly name?: string }): EndpointPort {
  return { name, port, protocol, ...(appProtocol && { appProtocol }) };
}

function keyOf({ addressType, ports }: EndpointSlice): string {
  const all = (ports ?? []).map(({ name, port, protocol, appProtocol }) => [name, port, protocol, appProtocol]);
  return JSON.stringify([addressType, all]);
}
