import type { EndpointAddress, EndpointPort, EndpointSubset, Service } from '@slipway/kube-objects/kinds/api/services';
import { type Backend, hostnameFor, targetOf } from './backends.js';

/** Groups the pods behind a service into the subsets of a core/v1 `Endpoints`: addresses by the ports they share. */
export function subsetsOf(service: Service, backends: readonly Backend[]): readonly EndpointSubset[] {
  const there = backends.filter(({ terminating }) => !terminating || service.spec.publishNotReadyAddresses);
  const groups = new Map<string, { ports: readonly EndpointPort[]; backends: Backend[] }>();
  for (const backend of there) {
    const hasPorts = backend.ports.length > 0 || (service.spec.ports ?? []).length === 0;
    if (!hasPorts) continue;
    const key = JSON.stringify(backend.ports);
    const group = groups.get(key) ?? { ports: backend.ports, backends: [] };
    groups.set(key, { ...group, backends: [...group.backends, backend] });
  }
  return [...groups.values()].map(({ ports, backends: those }) => {
    const ready = those.filter((each) => each.ready).map((each) => addressOf(service, each));
    const notReady = those.filter((each) => !each.ready).map((each) => addressOf(service, each));
    return {
      ...(ready.length > 0 && { addresses: ready.sort(byAddress) }),
      ...(notReady.length > 0 && { notReadyAddresses: notReady.sort(byAddress) }),
      ...(ports.length > 0 && { ports: ports.map(({ name, ...port }) => ({ ...(name && { name }), ...port })) }),
    };
  });
}

function addressOf(service: Service, { pod, address }: Backend): EndpointAddress {
  const { nodeName } = pod.spec;
  const hostname = hostnameFor(service, pod);
  return { ip: address, ...(hostname && { hostname }), ...(nodeName && { nodeName }), targetRef: targetOf(pod) };
}

function byAddress(a: EndpointAddress, b: EndpointAddress): number {
  return a.ip < b.ip ? -1 : a.ip > b.ip ? 1 : 0;
}
