import { Controller, hasReason, type KubeObject, type ObjectRef, retryLostRaces } from '@slipway/kube';
import {
  addressOfService,
  type IPAddress,
  ipAddresses,
  isAddressOfService,
} from '@slipway/kube-objects/kinds/api/service-addresses';
import { type Service, services } from '@slipway/kube-objects/kinds/api/services';
import type { WorkloadDeps } from '../workloads/workload-deps.js';

/**
 * Keeps an IPAddress for each address of a service, and none of services that are gone. In Kubernetes the API server
 * makes them as it gives the addresses, and has a loop like this one that repairs them.
 */
export function ipAddressController(deps: WorkloadDeps): Controller {
  const { kube, informers } = deps;
  const all = informers.informer(services).lister;
  const addresses = informers.informer(ipAddresses).lister;
  const client = kube.resource(ipAddresses);
  const remove = (name: string, signal: AbortSignal) => client.delete({ name }, { signal }).catch(unless('NotFound'));

  return new Controller({
    ...deps,
    name: 'ipallocator-repair-controller',
    for: services,
    watches: [{ of: ipAddresses, map: parentOf }],
    reconcile: retryLostRaces(async (ref, { signal }) => {
      const wanted = addressesOf(all.get(ref));
      for (const name of wanted) {
        const there = addresses.get({ name });
        const parent = there && parentOf(there)[0];
        if (there && isOf(ref)(there) && isAddressOfService(there)) continue;
        // Two services with one address cannot both have it: the first one keeps it.
        if (parent && !isOf(ref)(there) && addressesOf(all.get(parent)).includes(name)) continue;
        if (there) await remove(name, signal);
        await client.create(addressFor(ref, name), { signal }).catch(unless('AlreadyExists'));
      }
      const left = addresses.list().filter((one) => isAddressOfService(one) && isOf(ref)(one));
      for (const { metadata } of left) {
        if (!wanted.includes(metadata.name ?? '')) await remove(metadata.name ?? '', signal);
      }
    }),
  });
}

function addressesOf(service: Service | undefined): readonly string[] {
  if (!service || service.spec.type === 'ExternalName') return [];
  return (service.spec.clusterIPs ?? []).filter((address) => address !== 'None');
}

function parentOf({ spec }: KubeObject): ObjectRef[] {
  const { group, resource, namespace, name }: IPAddress['spec']['parentRef'] = spec.parentRef;
  return !group && resource === 'services' ? [{ namespace, name }] : [];
}

function isOf({ namespace, name }: ObjectRef): (address: IPAddress) => boolean {
  return (address) => parentOf(address).some((parent) => parent.namespace === namespace && parent.name === name);
}

function addressFor({ namespace = '', name }: ObjectRef, address: string): IPAddress {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IPAddress',
    metadata: { name: address, labels: { ...addressOfService } },
    spec: { parentRef: { group: '', resource: 'services', namespace, name } },
  };
}

/** Takes an error for success when it has this reason: others did it before. */
function unless(reason: string) {
  return (error: unknown) => {
    if (!hasReason(error, reason)) throw error;
  };
}
