import { type Kube, refOf } from '@slipway/kube';
import {
  type PersistentVolumeClaim,
  persistentVolumeClaims,
  persistentVolumes,
} from '@slipway/kube-objects/kinds/api/volumes';
import { bindCompleted, boundByController, referenceTo } from '@slipway/kube-objects/rules/match-volume';
import { selectedNode } from '@slipway/kube-objects/rules/well-known';
import type { VolumeView } from '../view/cluster-view.js';
import type { VolumeChoice } from './choose-volumes.js';

/** A volume cannot be had on the node that was chosen for its pod. The message says why, in the words of Kubernetes. */
export class VolumeError extends Error {}

/** As long as Kubernetes waits for the volumes of a pod. */
const longestWaitMs = 600_000;

export interface VolumeBinding {
  readonly kube: Kube;
  readonly view: Pick<VolumeView, 'claim'>;
  /** Resolves when a claim has changed or a pod is gone, and after that many milliseconds. @throws when `signal` aborts */
  readonly whenChanged: (withinMs: number, signal: AbortSignal) => Promise<void>;
  /** Whether the pod is there, and has no node yet. */
  readonly isWanted: () => boolean;
}

/**
 * Binds volumes to the claims of a pod, has others made, and waits until all of them are bound.
 * @throws VolumeError when that fails or takes more than ten minutes, StatusError when the server refuses a write
 */
export async function bindVolumes(
  { kube, view, whenChanged, isWanted }: VolumeBinding,
  { bindings, provisions }: VolumeChoice,
  nodeName: string,
  signal: AbortSignal,
): Promise<void> {
  const claims = kube.resource(persistentVolumeClaims);
  for (const { claim, volume } of bindings) {
    const claimRef = referenceTo(claim);
    if (volume.spec.claimRef?.uid === claimRef.uid) continue;
    const { resourceVersion } = volume.metadata;
    const metadata = { resourceVersion, annotations: { [boundByController]: 'yes' } };
    await kube.resource(persistentVolumes).merge(refOf(volume), { metadata, spec: { claimRef } }, { signal });
  }
  for (const claim of provisions) {
    const { resourceVersion, annotations } = claim.metadata;
    if (annotations?.[selectedNode] === nodeName) continue;
    const metadata = { resourceVersion, annotations: { [selectedNode]: nodeName } };
    await claims.merge(refOf(claim), { metadata }, { signal });
  }

  const isBound = ({ metadata: { namespace = '', name = '', resourceVersion } }: PersistentVolumeClaim): boolean => {
    const claim = view.claim(namespace, name);
    if (!claim)
      throw new VolumeError(`binding volumes: could not find v1.PersistentVolumeClaim "${namespace}/${name}"`);
    const { annotations = {} } = claim.metadata;
    if (claim.spec.volumeName && annotations[bindCompleted]) return true;
    // What was written here may not have come back yet.
    const isAsBefore = claim.metadata.resourceVersion === resourceVersion;
    const isMade = provisions.some(({ metadata }) => metadata.uid === claim.metadata.uid);
    if (isMade && !isAsBefore && annotations[selectedNode] !== nodeName)
      throw new VolumeError(`binding volumes: provisioning failed for PVC ${JSON.stringify(name)}`);
    return false;
  };
  const all = [...bindings.map(({ claim }) => claim), ...provisions];
  const untilMs = kube.clock.monotonicMs() + longestWaitMs;
  while (!all.every(isBound)) {
    if (!isWanted()) throw new VolumeError('binding volumes: pod does not exist any more');
    const leftMs = untilMs - kube.clock.monotonicMs();
    if (leftMs <= 0) throw new VolumeError('binding volumes: context deadline exceeded');
    await whenChanged(leftMs, signal);
  }
}
