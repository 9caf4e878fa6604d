import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '@slipway/kube-objects/kinds/api/volumes';
import { bestVolume, bindCompleted, isFor, whyNot } from '@slipway/kube-objects/rules/match-volume';
import { selectedNode } from '@slipway/kube-objects/rules/well-known';

/** The provisioner of this simulator: its volumes are there as soon as they are asked for. */
export const ourProvisioner = 'sim.slipway.dev/volumes';
/** The driver of those volumes. */
export const ourDriver = ourProvisioner.replace('/', '.');

/** How a claim gets its volume. */
export type ClaimPlan =
  | { readonly kind: 'bind'; readonly volume: PersistentVolume }
  | { readonly kind: 'provision'; readonly storageClass: StorageClass }
  /** Another program makes it. */
  | { readonly kind: 'delegate'; readonly provisioner: string; readonly message: string }
  /** Its volume is gone for good. */
  | { readonly kind: 'lose' }
  | { readonly kind: 'wait'; readonly type: 'Normal' | 'Warning'; readonly reason: string; readonly message: string };

/** Decides about a claim, with all volumes and the class that it names. */
export function planClaim(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
  storageClass: StorageClass | undefined,
): ClaimPlan {
  const { volumeName, storageClassName } = claim.spec;
  if (volumeName)
    return planNamed(
      claim,
      volumes.find(({ metadata }) => metadata.name === volumeName),
    );
  const kept = volumes.find((volume) => isFor(volume, claim) && whyNot(volume, claim) === undefined);
  const waitsForPod = storageClass?.volumeBindingMode === 'WaitForFirstConsumer';
  if (waitsForPod && !kept && !claim.metadata.annotations?.[selectedNode]) {
    return waiting('WaitForFirstConsumer', 'waiting for first consumer to be created before binding');
  }
  const volume = kept ?? bestVolume(claim, volumes);
  if (volume) return { kind: 'bind', volume };
  if (!storageClassName) {
    return waiting('FailedBinding', 'no persistent volumes available for this claim and no storage class is set');
  }
  if (!storageClass) {
    const message = `storageclass.storage.k8s.io ${JSON.stringify(storageClassName)} not found`;
    return { kind: 'wait', type: 'Warning', reason: 'ProvisioningFailed', message };
  }
  return storageClass.provisioner === ourProvisioner ? { kind: 'provision', storageClass } : delegate(storageClass);
}

/** A claim that names its volume has it, waits for it, or has lost it. */
function planNamed(claim: PersistentVolumeClaim, volume: PersistentVolume | undefined): ClaimPlan {
  const name = claim.spec.volumeName;
  const wasBound = claim.metadata.annotations?.[bindCompleted] !== undefined;
  if (!volume) {
    return wasBound ? { kind: 'lose' } : waiting('FailedBinding', `volume ${JSON.stringify(name)} does not exist yet`);
  }
  if (!volume.spec.claimRef || isFor(volume, claim)) return { kind: 'bind', volume };
  if (wasBound) return { kind: 'lose' };
  const message = `volume ${JSON.stringify(name)} already bound to a different claim.`;
  return { kind: 'wait', type: 'Warning', reason: 'FailedBinding', message };
}

function delegate({ provisioner }: StorageClass): ClaimPlan {
  const message =
    `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system ` +
    'administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.';
  return { kind: 'delegate', provisioner, message };
}

function waiting(reason: string, message: string): ClaimPlan {
  return { kind: 'wait', type: 'Normal', reason, message };
}
