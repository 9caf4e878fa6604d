import { isControlledBy } from '@slipway/kube';
import type { Pod, PodResourceClaim } from '../kinds/api/pods.js';
import type { Consumer, ResourceClaim } from '../kinds/api/resource-claims.js';

/** On a claim that was made for a pod: the entry of `spec.resourceClaims` that it is of. */
export const podClaimAnnotation = 'resource.kubernetes.io/pod-claim-name';

/** Finalizer of an allocated claim; its controller removes it. */
export const claimDeleteProtection = 'resource.kubernetes.io/delete-protection';

/** The claim of an entry of `spec.resourceClaims`. */
export interface NamedClaim {
  readonly name: string;
  /** Whether the claim was made for the pod, which then owns it. */
  readonly isOwn: boolean;
}

/** Returns the claim of an entry: `not-made` before it was made of a template, `not-needed` if none will be. */
export function claimOfEntry(pod: Pod, entry: PodResourceClaim): NamedClaim | 'not-made' | 'not-needed' {
  if (entry.resourceClaimName !== undefined) return { name: entry.resourceClaimName, isOwn: false };
  const status = pod.status?.resourceClaimStatuses?.find(({ name }) => name === entry.name);
  if (!status) return 'not-made';
  return status.resourceClaimName === undefined ? 'not-needed' : { name: status.resourceClaimName, isOwn: true };
}

/** Returns the claims of a pod that have a name, that for its extended resources last. */
export function namedClaims(pod: Pod): readonly NamedClaim[] {
  const own = pod.status?.extendedResourceClaimStatus?.resourceClaimName;
  const named = (pod.spec.resourceClaims ?? []).flatMap((entry) => {
    const claim = claimOfEntry(pod, entry);
    return typeof claim === 'string' ? [] : [claim];
  });
  return own === undefined ? named : [...named, { name: own, isOwn: true }];
}

/** Says that a claim was made for another pod, as Kubernetes does; undefined when `pod` owns it. */
export function notOwnedBy(pod: Pod, claim: ResourceClaim): string | undefined {
  if (isControlledBy(claim, pod)) return undefined;
  const { namespace } = pod.metadata;
  const names = [claim, pod].map(({ metadata }) => `${namespace}/${metadata.name}`);
  return `ResourceClaim ${names[0]} was not created for Pod ${names[1]} (Pod is not owner)`;
}

/** Whether the pod may use the claim. */
export function isReservedFor(pod: Pod, { status }: ResourceClaim): boolean {
  return status?.reservedFor?.some(({ uid }) => uid === pod.metadata.uid) ?? false;
}

/** The entry of `status.reservedFor` for a pod. */
export function consumerOf({ metadata: { name = '', uid = '' } }: Pod): Consumer {
  return { resource: 'pods', name, uid };
}
