import { compareQuantity, parseQuantity } from '@slipway/kube';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '@slipway/kube-objects/kinds/api/volumes';
import { ourProvisioner } from './plan-claim.js';

/** On volumes that were made for a claim: by whom. */
export const provisionedBy = 'pv.kubernetes.io/provisioned-by';

/** What a volume is now, and whether it goes. */
export interface VolumePlan {
  readonly phase: 'Available' | 'Bound' | 'Released';
  readonly isDeleted: boolean;
}

/** Decides about a volume with the claim that it is kept for, if that is there. */
export function planVolume({ metadata, spec }: PersistentVolume, claim: PersistentVolumeClaim | undefined): VolumePlan {
  const { claimRef } = spec;
  // Without a UID it is reserved for a future claim.
  if (!claimRef?.uid) return { phase: 'Available', isDeleted: false };
  const hasOther = Boolean(claim?.spec.volumeName) && claim?.spec.volumeName !== metadata.name;
  if (claim?.metadata.uid === claimRef.uid && !hasOther) return { phase: 'Bound', isDeleted: false };
  const isOurs = metadata.annotations?.[provisionedBy] === ourProvisioner;
  return { phase: 'Released', isDeleted: isOurs && spec.persistentVolumeReclaimPolicy === 'Delete' };
}

/**
 * The status of a claim that has this volume. The size of a claim that is bound already is not taken from a volume of others:
 * its file system may be smaller until a node has grown it, and who grows it writes the size.
 */
export function boundStatus(
  { status }: PersistentVolumeClaim,
  { metadata, spec }: PersistentVolume,
): Pick<PersistentVolume['spec'], 'accessModes' | 'capacity'> & { readonly phase: 'Bound' } {
  const isKept = status?.phase === 'Bound' && metadata.annotations?.[provisionedBy] !== ourProvisioner;
  const { accessModes, capacity } = spec;
  return { phase: 'Bound', ...(accessModes && { accessModes }), ...(!isKept && capacity && { capacity }) };
}

/** The size that a volume has to grow to because its claim asks for more than it has; undefined when it stays as it is. */
export function growth(
  { metadata, spec: { capacity } }: PersistentVolume,
  claim: PersistentVolumeClaim,
  storageClass: StorageClass | undefined,
): string | undefined {
  const wanted = claim.spec.resources?.requests?.storage ?? '0';
  const isOurs = metadata.annotations?.[provisionedBy] === ourProvisioner;
  if (!isOurs || storageClass?.allowVolumeExpansion !== true) return undefined;
  return compareQuantity(parseQuantity(wanted), parseQuantity(capacity?.storage ?? '0')) > 0 ? wanted : undefined;
}
