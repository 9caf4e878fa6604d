import { podRequests, sameJson } from '@slipway/kube';
import type { Container, ContainerResources, Pod } from '@slipway/kube-objects/kinds/api/pods';
import { type Amounts, integers, sharedAmounts } from '@slipway/kube-objects/rules/amounts';

/** Resources of the containers of one pod, by name: what is set aside for them, or what they run with. */
export type Allocation = ReadonlyMap<string, ContainerResources>;

/** Returns the resources that the containers of a pod request. */
export function askedBy(pod: Pod): Allocation {
  return new Map(containersOf(pod).map(({ name, resources }) => [name, resources ?? {}]));
}

/** The pod as if it had asked for what was set aside for it. */
export function withAllocation(pod: Pod, allocation: Allocation): Pod {
  if (isSame(askedBy(pod), allocation)) return pod;
  const given = (container: Container): Container => {
    const resources = allocation.get(container.name);
    return resources === undefined ? container : { ...container, resources };
  };
  const { containers, initContainers } = pod.spec;
  const ofInit = initContainers && { initContainers: initContainers.map(given) };
  return { ...pod, spec: { ...pod.spec, containers: containers.map(given), ...ofInit } };
}

/** Whether two allocations are the same. Amounts are compared as the API server writes them. */
export function isSame(a: Allocation, b: Allocation): boolean {
  return a.size === b.size && [...a].every(([name, resources]) => sameJson(resources, b.get(name)));
}

/** Adds up the requests of a pod's containers, and one of the resource `pods`. @throws QuantityError */
export function amountsAsked(pod: Pod): Amounts {
  return sharedAmounts(new Map([...integers(podRequests(pod)), ['pods', 1]]));
}

/** Whether a pod asks for more cpu or memory than `allocation` gives it. */
export function grows(pod: Pod, allocation: Allocation): boolean {
  const [asked, given] = [amountsAsked(pod), amountsAsked(withAllocation(pod, allocation))];
  return ['cpu', 'memory'].some((name) => (asked.get(name) ?? 0) > (given.get(name) ?? 0));
}

function containersOf({ spec }: Pod): readonly Container[] {
  return [...(spec.initContainers ?? []), ...spec.containers];
}
