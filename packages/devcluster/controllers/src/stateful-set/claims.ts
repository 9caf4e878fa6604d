import { type KubeObject, type OwnerReference, ownerReference } from '@slipway/kube';
import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import type { PersistentVolumeClaim } from '@slipway/kube-objects/kinds/api/volumes';
import type { StatefulSet } from '@slipway/kube-objects/kinds/api/workloads';
import { claimName } from './identity.js';

/** The claims that the pod with this ordinal needs. */
export function claimsOfPod(set: StatefulSet, ordinal: number): readonly PersistentVolumeClaim[] {
  return (set.spec.volumeClaimTemplates ?? []).map((template) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: claimName(set, template, ordinal),
      namespace: set.metadata.namespace ?? '',
      labels: { ...template.metadata.labels, ...set.spec.selector.matchLabels },
      ...(template.metadata.annotations && { annotations: { ...template.metadata.annotations } }),
      ...(set.spec.persistentVolumeClaimRetentionPolicy?.whenDeleted === 'Delete' && {
        ownerReferences: [ownerReference(set)],
      }),
    },
    spec: template.spec ?? {},
  }));
}

/**
 * The owners a claim must have for garbage collection to do what the retention policy
 * says: the pod, once scaling down is about to remove it; the set; or neither.
 * Owners that have nothing to do with this set stay. Undefined when nothing changes.
 */
export function claimOwners(
  set: StatefulSet,
  claim: KubeObject,
  pod: Pod,
  isCondemned: boolean,
): OwnerReference[] | undefined {
  const { whenDeleted, whenScaled } = set.spec.persistentVolumeClaimRetentionPolicy ?? {};
  const goesWithPod = isCondemned && whenScaled === 'Delete';
  const wanted = goesWithPod ? ownerReference(pod) : whenDeleted === 'Delete' ? ownerReference(set) : undefined;
  const before = claim.metadata.ownerReferences ?? [];
  const isOurs = ({ kind, name }: OwnerReference) =>
    (kind === 'StatefulSet' && name === set.metadata.name) || (kind === 'Pod' && name === pod.metadata.name);
  const ours = before.filter(isOurs);
  const isRight = wanted ? ours.length === 1 && ours[0]?.uid === wanted.uid : ours.length === 0;
  return isRight ? undefined : [...before.filter((owner) => !isOurs(owner)), ...(wanted ? [wanted] : [])];
}
