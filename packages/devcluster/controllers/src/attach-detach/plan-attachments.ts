import { createHash } from 'node:crypto';
import { isFinished, type Pod } from '@slipway/kube-objects/kinds/api/pods';
import type { CSIDriver, PersistentVolume, VolumeAttachment } from '@slipway/kube-objects/kinds/api/volumes';

/** Which attachments of a volume have to be made and deleted. */
export interface AttachmentPlan {
  readonly attach: readonly VolumeAttachment[];
  readonly detach: readonly VolumeAttachment[];
  /** Pods that have to wait until the volume has left another node. */
  readonly blocked: readonly Pod[];
}

/**
 * Decides about the attachments of a volume, with all pods whose claims are bound to it. Attachments that others made stay.
 * @param driver its CSIDriver, if it has one
 */
export function planAttachments(
  volume: PersistentVolume,
  driver: CSIDriver | undefined,
  pods: readonly Pod[],
  attachments: readonly VolumeAttachment[],
): AttachmentPlan {
  const users = pods.filter((pod) => pod.spec.nodeName && !isFinished(pod));
  const nodes = needsAttaching(volume, driver) ? [...new Set(users.map(nodeOf))] : [];
  const own = attachments.filter(({ metadata, spec }) => metadata.name === attachmentName(volume, spec.nodeName));
  const attached = new Set(own.map(({ spec }) => spec.nodeName));
  const missing = nodes.filter((node) => !attached.has(node));
  const room = isForOneNode(volume) ? Math.max(0, 1 - own.length) : missing.length;
  const later = new Set(missing.slice(room));
  return {
    attach: missing.slice(0, room).map((node) => attachmentOf(volume, node)),
    detach: own.filter(({ metadata, spec }) => !nodes.includes(spec.nodeName) && !metadata.deletionTimestamp),
    blocked: users.filter((pod) => later.has(nodeOf(pod))),
  };
}

/** Without a CSIDriver a volume is attached, as in Kubernetes. */
function needsAttaching({ spec }: PersistentVolume, driver: CSIDriver | undefined): boolean {
  return spec.csi !== undefined && driver?.spec.attachRequired !== false;
}

const modesOfOneNode: readonly string[] = ['ReadWriteOnce', 'ReadWriteOncePod'];

function isForOneNode({ spec: { accessModes = [] } }: PersistentVolume): boolean {
  return accessModes.length > 0 && accessModes.every((mode) => modesOfOneNode.includes(mode));
}

function attachmentOf(volume: PersistentVolume, nodeName: string): VolumeAttachment {
  const { name = '' } = volume.metadata;
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttachment',
    metadata: { name: attachmentName(volume, nodeName) },
    spec: { attacher: volume.spec.csi?.driver ?? '', nodeName, source: { persistentVolumeName: name } },
  };
}

/** The name that Kubernetes gives it; attachers and drivers compute it too. */
export function attachmentName({ spec }: PersistentVolume, nodeName: string): string {
  const { driver = '', volumeHandle = '' } = spec.csi ?? {};
  return `csi-${createHash('sha256').update(`${volumeHandle}${driver}${nodeName}`).digest('hex')}`;
}

function nodeOf({ spec }: Pod): string {
  return spec.nodeName ?? '';
}
