import {
  Controller,
  ensureFinalizer,
  findCondition,
  type KubeObject,
  type ObjectRef,
  refOf,
  removeFinalizer,
  retryLostRaces,
  timestamp,
} from '@slipway/kube';
import {
  ipAddresses,
  isAddressOfService,
  rangeProtection,
  type ServiceCIDR,
  serviceCidrs,
} from '@slipway/kube-objects/kinds/api/service-addresses';
import { AddressRange } from '@slipway/kube-objects/rules/address-range';
import type { WorkloadDeps } from '../workloads/workload-deps.js';

const name = 'service-cidr-controller';
/** API servers may go on giving addresses of a range for so long after it was deleted. */
const graceMs = 10_000;

const ready = { type: 'Ready', status: 'True', reason: '', message: 'Kubernetes Service CIDR is ready' } as const;
const inUse = {
  type: 'Ready',
  status: 'False',
  reason: 'Terminating',
  message: 'There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR',
} as const;

/** Says that ranges are ready, and keeps one that was deleted while a service has an address that no other range offers. */
export function serviceCidrController(deps: WorkloadDeps): Controller {
  const { kube, informers } = deps;
  const cidrs = informers.informer(serviceCidrs).lister;
  const addresses = informers.informer(ipAddresses).lister;
  const client = kube.resource(serviceCidrs);

  const say = async (cidr: ServiceCIDR, condition: typeof ready | typeof inUse, signal: AbortSignal) => {
    const known = findCondition(cidr.status?.conditions, condition.type);
    if (known?.status === condition.status && known.reason === condition.reason) return;
    const said = { ...condition, lastTransitionTime: timestamp(kube.clock.now()) };
    await client.applyStatus(
      { metadata: { name: cidr.metadata.name ?? '' }, status: { conditions: [said] } },
      { fieldManager: name, force: true, signal },
    );
  };
  const withRange = (isMeant: (range: AddressRange) => boolean): ObjectRef[] =>
    cidrs
      .list()
      .filter((cidr) => rangesOf(cidr).some(isMeant))
      .map(refOf);

  return new Controller({
    ...deps,
    name,
    for: serviceCidrs,
    watches: [
      {
        of: serviceCidrs,
        map: (changed) => {
          const ranges = rangesOf(changed as ServiceCIDR);
          return withRange((range) => ranges.some((other) => other.overlaps(range)));
        },
      },
      { of: ipAddresses, map: ({ metadata }) => withRange((range) => range.offers(metadata.name ?? '')) },
    ],
    reconcile: retryLostRaces(async (ref, { signal, now }) => {
      const cidr = cidrs.get(ref);
      if (!cidr) return;
      const { deletionTimestamp } = cidr.metadata;
      if (!deletionTimestamp) {
        if (!cidr.metadata.finalizers?.includes(rangeProtection)) {
          await client.mutate(ref, (draft) => ensureFinalizer(draft, rangeProtection), { signal });
        }
        return say(cidr, ready, signal);
      }
      const others = cidrs.list().filter(({ metadata }) => metadata.name !== ref.name);
      if (isNeeded(cidr, others, addresses.list().filter(isAddressOfService))) return say(cidr, inUse, signal);
      const leftMs = Date.parse(deletionTimestamp) + graceMs - now();
      if (leftMs > 0) return { requeueAfterMs: leftMs };
      await client.mutate(ref, (draft) => removeFinalizer(draft, rangeProtection), { signal });
    }),
  });
}

/** Whether an address would be left without a range. One that lies in another range, as a whole, never is. */
function isNeeded(cidr: ServiceCIDR, others: readonly ServiceCIDR[], addresses: readonly KubeObject[]): boolean {
  const [ranges, kept] = [rangesOf(cidr), others.flatMap(rangesOf)];
  if (ranges.every((range) => kept.some((other) => other.contains(range)))) return false;
  return addresses.some(({ metadata: { name = '' } }) => {
    const isOffered = (range: AddressRange) => range.offers(name);
    return ranges.some(isOffered) && !kept.some(isOffered);
  });
}

/** Those of IPv4: services have no others. */
function rangesOf({ spec }: ServiceCIDR): AddressRange[] {
  return spec.cidrs.flatMap((cidr) => AddressRange.find(cidr) ?? []);
}
