import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import type { ResourceClaim } from '@slipway/kube-objects/kinds/api/resource-claims';
import { claimOfEntry, notOwnedBy } from '@slipway/kube-objects/rules/pod-resource-claims';
import type { DeviceView } from './device-view.js';

/**
 * Returns the claims of a pod, or why it has to wait for them: as long as one is not there, the scheduler of Kubernetes
 * does not even try to place the pod.
 */
export function claimsOf(pod: Pod, { claim: claimOf }: Pick<DeviceView, 'claim'>): readonly ResourceClaim[] | string {
  const { namespace = '', name: podName } = pod.metadata;
  const claims: ResourceClaim[] = [];
  for (const entry of pod.spec.resourceClaims ?? []) {
    const named = claimOfEntry(pod, entry);
    if (named === 'not-made') return `pod "${namespace}/${podName}": ResourceClaim not created yet`;
    if (named === 'not-needed') continue;
    const claim = claimOf(namespace, named.name);
    if (!claim) return `could not find resourceclaim "${namespace}/${named.name}"`;
    if (claim.metadata.deletionTimestamp) return `resourceclaim ${JSON.stringify(named.name)} is being deleted`;
    const problem = named.isOwn ? notOwnedBy(pod, claim) : undefined;
    if (problem !== undefined) return problem;
    claims.push(claim);
  }
  return claims;
}

/** Returns those of some claims that have no devices yet. */
export function unallocated(claims: readonly ResourceClaim[]): readonly ResourceClaim[] {
  return claims.filter(({ status }) => !status?.allocation);
}
