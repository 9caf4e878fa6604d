import { compareQuantity, matchesSelector, parseQuantity, type Quantity } from '@slipway/kube';
import type { Node } from '../kinds/api/nodes.js';
import type { PersistentVolume, PersistentVolumeClaim } from '../kinds/api/volumes.js';
import { matchesTerms } from './node-affinity.js';

/** On claims whose volume was found once. */
export const bindCompleted = 'pv.kubernetes.io/bind-completed';
/** On claims and volumes that were not bound to each other by the user. */
export const boundByController = 'pv.kubernetes.io/bound-by-controller';

/** Whether a volume is kept for a claim, by name or by being bound to it. */
export function isFor({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const { claimRef } = spec;
  if (claimRef?.name !== metadata.name || claimRef?.namespace !== metadata.namespace) return false;
  return claimRef?.uid === undefined || claimRef.uid === metadata.uid;
}

/** The smallest volume that is free and as the claim asks. */
export function bestVolume(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
): PersistentVolume | undefined {
  const free = volumes.filter(({ spec, status }) => !spec.claimRef && status?.phase === 'Available');
  const fitting = free.filter((volume) => !volume.metadata.deletionTimestamp && whyNot(volume, claim) === undefined);
  return fitting.sort((a, b) => compareQuantity(sizeOf(a), sizeOf(b)))[0];
}

/** Whether the pods of a node get at a volume. */
export function isReachable({ spec }: PersistentVolume, node: Node): boolean {
  return spec.nodeAffinity?.required === undefined || matchesTerms(spec.nodeAffinity.required.nodeSelectorTerms, node);
}

/** The `claimRef` of a volume that is kept for this claim. */
export function referenceTo({ metadata }: PersistentVolumeClaim) {
  const { name = '', namespace = '', uid = '', resourceVersion = '' } = metadata;
  return { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name, namespace, uid, resourceVersion };
}

/** Explains, in the words of Kubernetes, why a volume does not match a claim; undefined when it does. */
export function whyNot(volume: PersistentVolume, claim: PersistentVolumeClaim): string | undefined {
  const { spec } = claim;
  const wanted = parseQuantity(spec.resources?.requests?.storage ?? '0');
  if (compareQuantity(sizeOf(volume), wanted) < 0) return 'requested PV is too small';
  if ((volume.spec.storageClassName ?? '') !== (spec.storageClassName ?? '')) return 'storageClassName does not match';
  if ((volume.spec.volumeMode ?? 'Filesystem') !== (spec.volumeMode ?? 'Filesystem')) return 'incompatible volumeMode';
  if (!(spec.accessModes ?? []).every((mode) => volume.spec.accessModes?.includes(mode)))
    return 'incompatible accessMode';
  return spec.selector && !matchesSelector(spec.selector, volume.metadata.labels) ? 'labels do not match' : undefined;
}

function sizeOf({ spec }: PersistentVolume): Quantity {
  return parseQuantity(spec.capacity?.storage ?? '0');
}
