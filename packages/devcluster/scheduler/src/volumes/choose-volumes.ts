import { compareQuantity, parseQuantity } from '@slipway/kube';
import type { Node } from '@slipway/kube-objects/kinds/api/nodes';
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  TopologySelectorTerm,
} from '@slipway/kube-objects/kinds/api/volumes';
import { bestVolume, isFor, isReachable, whyNot } from '@slipway/kube-objects/rules/match-volume';
import { selectedNode } from '@slipway/kube-objects/rules/well-known';
import type { VolumeView } from '../view/cluster-view.js';

/** The volumes that claims get if their pod goes to a certain node. */
export interface VolumeChoice {
  readonly bindings: readonly { readonly claim: PersistentVolumeClaim; readonly volume: PersistentVolume }[];
  /** Claims whose volume is made for that node. */
  readonly provisions: readonly PersistentVolumeClaim[];
}

/** Volumes of classes with this provisioner are made by hand. */
const noProvisioner = 'kubernetes.io/no-provisioner';

/**
 * Finds a volume for each of the claims that a node gets at, the smallest claim first, or lets it be made;
 * undefined when one of them can have none there.
 */
export function chooseVolumes(
  claims: readonly PersistentVolumeClaim[],
  node: Node,
  view: Pick<VolumeView, 'ofClass' | 'storageClass'>,
): VolumeChoice | undefined {
  const bindings: VolumeChoice['bindings'][number][] = [];
  const provisions: PersistentVolumeClaim[] = [];
  for (const claim of [...claims].sort((a, b) => compareQuantity(sizeOf(a), sizeOf(b)))) {
    const isBeingMadeFor = claim.metadata.annotations?.[selectedNode];
    if (isBeingMadeFor !== undefined && isBeingMadeFor !== node.metadata.name) return undefined;
    const { storageClassName = '' } = claim.spec;
    const free = view.ofClass(storageClassName).filter((one) => !bindings.some(({ volume }) => volume === one));
    const kept = free.find((volume) => isFor(volume, claim) && whyNot(volume, claim) === undefined);
    const volume = kept ?? bestVolume(claim, isBeingMadeFor ? [] : free.filter((one) => isReachable(one, node)));
    if (volume) {
      if (!isReachable(volume, node)) return undefined;
      bindings.push({ claim, volume });
    } else {
      if (!isMadeFor(node, view.storageClass(storageClassName))) return undefined;
      provisions.push(claim);
    }
  }
  return { bindings, provisions };
}

function sizeOf({ spec }: PersistentVolumeClaim) {
  return parseQuantity(spec.resources?.requests?.storage ?? '0');
}

function isMadeFor({ metadata }: Node, storageClass: StorageClass | undefined): boolean {
  const { provisioner, allowedTopologies = [] } = storageClass ?? {};
  if (!provisioner || provisioner === noProvisioner) return false;
  const holds = ({ matchLabelExpressions = [] }: TopologySelectorTerm) =>
    matchLabelExpressions.length > 0 &&
    matchLabelExpressions.every(({ key, values }) => values.includes(metadata.labels?.[key] ?? ''));
  return allowedTopologies.length === 0 || allowedTopologies.some(holds);
}
