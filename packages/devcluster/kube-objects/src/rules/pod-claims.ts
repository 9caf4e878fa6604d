import { controllerOf, type KubeObject } from '@slipway/kube';

/** The PersistentVolumeClaim of a volume of a pod. */
export interface PodClaim {
  readonly name: string;
  /** The claim lives and ends with the pod: a generic ephemeral volume. */
  readonly isOwn: boolean;
}

interface ClaimVolume {
  readonly name: string;
  readonly persistentVolumeClaim?: { readonly claimName: string };
  readonly ephemeral?: object;
}

/** Returns the claims that the volumes of a pod are of. */
export function podClaims({ metadata, spec }: KubeObject): readonly PodClaim[] {
  const volumes: readonly ClaimVolume[] = spec?.volumes ?? [];
  return volumes.flatMap(({ name, persistentVolumeClaim, ephemeral }): readonly PodClaim[] => {
    if (ephemeral) return [{ name: ownClaimName({ metadata }, name), isOwn: true }];
    return persistentVolumeClaim ? [{ name: persistentVolumeClaim.claimName, isOwn: false }] : [];
  });
}

/** Returns the name of the claim of a generic ephemeral volume. */
export function ownClaimName({ metadata }: Pick<KubeObject, 'metadata'>, volume: string): string {
  return `${metadata.name}-${volume}`;
}

/** Says that a claim of the name of a pod's own belongs to another; undefined when it was made for the pod. */
export function notMadeFor({ metadata: pod }: KubeObject, claim: KubeObject): string | undefined {
  if (controllerOf(claim)?.uid === pod.uid) return undefined;
  const { namespace, name } = claim.metadata;
  return `PVC ${namespace}/${name} was not created for pod ${pod.namespace}/${pod.name} (pod is not owner)`;
}
