import { isControlledBy, type KubeObject, parseQuantity, wholeUnits } from '@slipway/kube';
import type { DeviceClass } from '@slipway/kube-objects/kinds/api/devices';
import type { Container, ExtendedResourceRequest, Pod } from '@slipway/kube-objects/kinds/api/pods';
import type { DeviceRequest, ResourceClaim } from '@slipway/kube-objects/kinds/api/resource-claims';
import type { Amounts } from '@slipway/kube-objects/rules/amounts';

/** Devices of a class stand for this resource as well, with the name of the class behind it. */
const ofClass = 'deviceclass.resource.kubernetes.io/';
/** On claims that the scheduler makes for extended resources. */
const annotation = 'resource.kubernetes.io/extended-resource-claim';
/** Stands for the name of a claim that is not written yet; no claim can be called so. */
const unwritten = '<extended-resources>';

/** Classes of devices by the extended resources that they stand for. */
export type ResourceClasses = ReadonlyMap<string, DeviceClass>;

/** Returns the class for each resource. Of several with one resource it is the newest, then the first by name. */
export function classesByResource(classes: readonly DeviceClass[]): ResourceClasses {
  const rank = ({ metadata }: DeviceClass) => Date.parse(metadata.creationTimestamp ?? '') || 0;
  const byName = (a: DeviceClass, b: DeviceClass) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? 1 : -1);
  const lastCounts = [...classes].sort((a, b) => rank(a) - rank(b) || byName(a, b));
  return new Map(
    lastCounts.flatMap((one) => {
      const { extendedResourceName: name } = one.spec;
      const own = [`${ofClass}${one.metadata.name}`, one] as const;
      return name === undefined ? [own] : [own, [name, one] as const];
    }),
  );
}

/** Returns those of the resources that a pod asks for which devices of a class stand for. */
export function deviceResources(amounts: Amounts, classes: ResourceClasses): ResourceClasses {
  if (classes.size === 0) return classes;
  const asked = [...amounts].flatMap(([name, amount]) => {
    const found = amount > 0 ? classes.get(name) : undefined;
    return found ? [[name, found] as const] : [];
  });
  return new Map(asked);
}

/** Returns those of some resources for which a node needs devices: it has none of them by itself. */
export function neededOn(allocatable: Amounts, resources: ResourceClasses): ResourceClasses {
  return new Map([...resources].filter(([name]) => !allocatable.get(name)));
}

/** The claim that a pod gets for extended resources, and what it is for. */
export interface ExtendedClaim {
  /** As it will be made; its name and uid are not final. */
  readonly claim: ResourceClaim;
  readonly mappings: readonly ExtendedResourceRequest[];
}

/** Returns the claim for the resources of a pod that a node has none of by itself; undefined when there are none. */
export function extendedClaim(pod: Pod, allocatable: Amounts, resources: ResourceClasses): ExtendedClaim | undefined {
  const needed = neededOn(allocatable, resources);
  if (needed.size === 0) return undefined;
  const { namespace = '', name = '', uid = '' } = pod.metadata;
  const { requests, mappings } = requestsFor(pod, needed);
  const claim: ResourceClaim = {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaim',
    metadata: {
      namespace,
      name: unwritten,
      generateName: `${name}-extended-resources-`,
      uid: `${unwritten} ${uid}`,
      annotations: { [annotation]: 'true' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name, uid, controller: true }],
    },
    spec: { devices: { requests } },
  };
  return { claim, mappings };
}

/** Whether a claim was made for the extended resources of the pod. */
export function isExtendedClaimOf(pod: Pod, claim: KubeObject): boolean {
  return claim.metadata.annotations?.[annotation] === 'true' && isControlledBy(claim, pod);
}

/**
 * Returns the requests for the devices of each container, and which of them a container has. Init containers that end
 * before others start have devices of those, and beyond them those of the one of them that needs most.
 */
export function requestsFor(
  pod: Pod,
  resources: ResourceClasses,
): { readonly requests: readonly DeviceRequest[]; readonly mappings: readonly ExtendedResourceRequest[] } {
  const init = pod.spec.initContainers ?? [];
  const containers = [...init, ...pod.spec.containers];
  const endsFirst = (index: number) => index < init.length && init[index]?.restartPolicy !== 'Always';
  const requests: DeviceRequest[] = [];
  const mappings: ExtendedResourceRequest[] = [];
  for (const name of [...resources.keys()].sort()) {
    const deviceClassName = resources.get(name)?.metadata.name ?? '';
    const wishes = containers.map((container) => wishOf(container, name));
    const lasting = wishes.map((wish, index) =>
      wish && !endsFirst(index) ? requestOf(index, wish, wish.count, deviceClassName) : undefined,
    );
    const brief = wishes.map((wish, index) => {
      if (!wish || !endsFirst(index)) return undefined;
      const shared: DeviceRequest[] = [];
      let left = wish.count;
      for (const request of lasting.slice(index)) {
        if (!request || left <= 0) continue;
        shared.push(request);
        left -= request.exactly?.count ?? 0;
      }
      return { shared, own: left > 0 ? requestOf(index, wish, left, deviceClassName) : undefined };
    });
    const largest = brief.reduce<DeviceRequest | undefined>((most, one) => {
      const own = one?.own;
      return own && (own.exactly?.count ?? 0) > (most?.exactly?.count ?? 0) ? own : most;
    }, undefined);
    const map = (index: number, request: DeviceRequest) =>
      mappings.push({ containerName: containers[index]?.name ?? '', resourceName: name, requestName: request.name });
    for (const [index, request] of lasting.entries()) if (request) map(index, request);
    for (const [index, one] of brief.entries()) {
      for (const request of one?.shared ?? []) map(index, request);
      if (one?.own && largest) map(index, largest);
    }
    requests.push(...(largest ? [largest] : []), ...lasting.filter((request) => request !== undefined));
  }
  return { requests: requests.sort((a, b) => (a.name < b.name ? -1 : 1)), mappings };
}

interface Wish {
  readonly count: number;
  /** Place of the resource among the requests of the container, by name. */
  readonly place: number;
}

function wishOf({ resources }: Container, name: string): Wish | undefined {
  const requests = resources?.requests ?? {};
  const count = requests[name] === undefined ? 0 : Number(wholeUnits(parseQuantity(requests[name])));
  return count > 0 ? { count, place: Object.keys(requests).sort().indexOf(name) } : undefined;
}

function requestOf(container: number, { place }: Wish, count: number, deviceClassName: string): DeviceRequest {
  const exactly = { deviceClassName, allocationMode: 'ExactCount', count } as const;
  return { name: `container-${container}-request-${place}`, exactly };
}
