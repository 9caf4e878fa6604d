import { keyOf, sameJson } from '@slipway/kube';
import type { ResourceClaim } from '@slipway/kube-objects/kinds/api/resource-claims';
import { matchesTerms } from '@slipway/kube-objects/rules/node-affinity';
import type { Demand } from '../demand/demand.js';
import { allocate } from '../devices/allocation.js';
import { isStuck } from '../devices/device-binding.js';
import type { DeviceView } from '../devices/device-view.js';
import { deviceResources, extendedClaim, isExtendedClaimOf } from '../devices/extended-resources.js';
import { claimsOf, unallocated } from '../devices/pod-claims.js';
import { InvalidPoolsError } from '../devices/search.js';
import type { ClusterView } from '../view/cluster-view.js';
import type { NodeState } from '../view/node-state.js';
import { type ClusterChange, type Filter, type Objection, permanent } from './filter.js';

/** Devices of allocated claims have to be usable from the node, and those of other claims to be had there. */
export const dynamicResources: Filter = {
  name: 'DynamicResources',
  refuses(demand, cluster) {
    if (!hasClaims(demand)) return undefined;
    const claims = claimsOf(demand.pod, cluster.devices);
    return typeof claims === 'string' ? claims : refusal(unallocated(claims), cluster);
  },
  prepare(demand, { devices }) {
    const claims = hasClaims(demand) ? claimsOf(demand.pod, devices) : [];
    const resources = deviceResources(demand.amounts, devices.resourceClasses());
    if (typeof claims === 'string' || claims.length + resources.size === 0) return undefined;
    const missing = unallocated(claims);
    return {
      on({ node, allocatable }: NodeState): Objection | undefined {
        const extended = extendedClaim(demand.pod, allocatable, resources);
        const wanted = extended ? [...missing, extended.claim] : missing;
        try {
          if (wanted.length > 0 && !allocate(wanted, node, devices, noShares)) {
            return permanent('cannot allocate all claims');
          }
        } catch (error) {
          if (error instanceof InvalidPoolsError) return permanent(error.message);
          throw error;
        }
        const isUsable = claims.every((claim) => isUsableFrom(claim, { node }, devices));
        return isUsable ? undefined : permanent(claimNotAvailable);
      },
    };
  },
  helpedBy: (demand, change, { devices }) => {
    const wantsDevices = hasClaims(demand) || deviceResources(demand.amounts, devices.resourceClasses()).size > 0;
    return wantsDevices && isHelp(demand, change, devices);
  },
};

/** What is said of nodes from which the devices of an allocated claim cannot be used. */
const claimNotAvailable = 'resourceclaim not available on the node';

const noShares = () => '';

function hasClaims({ pod }: Demand): boolean {
  return (pod.spec.resourceClaims ?? []).length > 0;
}

/** Whether the devices of the claim, if it has any, can be used from the node, and may be prepared yet. */
function isUsableFrom(
  claim: ResourceClaim,
  { node }: Pick<NodeState, 'node'>,
  { nowMs }: Pick<DeviceView, 'nowMs'>,
): boolean {
  const selector = claim.status?.allocation?.nodeSelector;
  return (!selector || matchesTerms(selector.nodeSelectorTerms, node)) && !isStuck(claim, nowMs());
}

function refusal(missing: readonly ResourceClaim[], { devices }: ClusterView): string | undefined {
  for (const claim of missing) {
    if (devices.isBeingAllocated(claim)) return `resource claim ${keyOf(claim)} is in the process of being allocated`;
    for (const { name, exactly, firstAvailable = [] } of claim.spec.devices?.requests ?? []) {
      const wishes = exactly
        ? [{ name, wish: exactly }]
        : firstAvailable.map((wish) => ({ name: `${name}/${wish.name}`, wish }));
      const lacking = wishes.find(({ wish }) => !devices.deviceClass(wish.deviceClassName));
      if (lacking) return `request ${lacking.name}: device class ${lacking.wish.deviceClassName} does not exist`;
    }
  }
  return undefined;
}

function isHelp({ pod }: Demand, change: ClusterChange, devices: ClusterView['devices']): boolean {
  if (change.kind === 'node' || change.kind === 'devices') return true;
  if (change.kind !== 'resource-claim') return false;
  const { before, after } = change;
  const claims = claimsOf(pod, devices);
  if (typeof claims === 'string') return false;
  if (!after && before && isExtendedClaimOf(pod, before)) return true;
  // Devices that another claim had are free.
  if (before?.status?.allocation && !after?.status?.allocation) return true;
  const isOurs = after && claims.some(({ metadata }) => metadata.uid === after.metadata.uid);
  return isOurs ? !sameJson(before?.status, after.status) || !before : false;
}

/**
 * Returns an allocated claim of the pod that no other pod uses, and whose devices keep the pod from one of the nodes: the
 * devices may be had elsewhere once they are free.
 */
export function claimInTheWay(
  { pod, uid }: Demand,
  objections: readonly (Objection & { readonly state: NodeState })[],
  { devices }: ClusterView,
): ResourceClaim | undefined {
  const nodes = objections.filter(({ reasons }) => reasons.includes(claimNotAvailable)).map(({ state }) => state);
  const claims = claimsOf(pod, devices);
  if (nodes.length === 0 || typeof claims === 'string') return undefined;
  return claims.find((claim) => {
    const isFree = (claim.status?.reservedFor ?? []).every((consumer) => consumer.uid === uid);
    return isFree && claim.status?.allocation && nodes.some((node) => !isUsableFrom(claim, node, devices));
  });
}
