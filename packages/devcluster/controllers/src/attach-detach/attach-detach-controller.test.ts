import { aCluster } from '@slipway/devcluster/testing/a-cluster';
import { Events, type Kube, refOf } from '@slipway/kube';
import { type Pod, pods } from '@slipway/kube-objects/kinds/api/pods';
import {
  type PersistentVolume,
  persistentVolumeClaims,
  persistentVolumes,
  volumeAttachments,
} from '@slipway/kube-objects/kinds/api/volumes';
import { until } from '@slipway/kube-objects/testing/until';
import { expect, test } from 'vitest';
import { ourDriver } from '../persistent-volume/plan-claim.js';
import { attachmentName } from './plan-attachments.js';

const namespace = 'default';
const disk: PersistentVolume = {
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'disk' },
  spec: {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteOnce'],
    csi: { driver: 'disks.example', volumeHandle: 'disk-1' },
  },
};

/** A claim of the volume, and a pod that has it. */
async function use(kube: Kube, volume: PersistentVolume, name: string): Promise<void> {
  await kube.resource(persistentVolumes).create(volume);
  await kube.resource(persistentVolumeClaims).create({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace, name },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: '',
      volumeName: volume.metadata.name ?? '',
      resources: { requests: { storage: '1Gi' } },
    },
  });
  await kube.resource(pods).create({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace, name },
    spec: {
      containers: [{ name: 'main', image: 'image' }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: name } }],
      terminationGracePeriodSeconds: 0,
    },
  } as Pod);
}

test('a volume of a CSI driver is attached to the node of its pod, which hears how that went, and detached behind it', async () => {
  await using cluster = await aCluster({ nodes: 1 });
  const { kube } = cluster;
  const attachments = kube.resource(volumeAttachments);
  await use(kube, disk, 'user');
  const attachment = await until('the attachment', () => attachments.find({ name: attachmentName(disk, 'n1') }));
  expect(attachment.spec).toEqual({
    attacher: 'disks.example',
    nodeName: 'n1',
    source: { persistentVolumeName: 'disk' },
  });
  const event = (reason: string) =>
    until(reason, async () => (await kube.resource(Events).list()).items.find((each) => each.reason === reason));
  await attachments.mergeStatus(refOf(attachment), { status: { attachError: { message: 'the disk is dusty' } } });
  expect((await event('FailedAttachVolume')).message).toBe(
    'AttachVolume.Attach failed for volume "disk" : the disk is dusty',
  );
  await attachments.mergeStatus(refOf(attachment), { status: { attached: true, attachError: null } });
  expect((await event('SuccessfulAttachVolume')).message).toBe('AttachVolume.Attach succeeded for volume "disk" ');
  await kube.resource(pods).delete({ namespace, name: 'user' });
  await until('it to go', async () => (await attachments.find(refOf(attachment))) === undefined);
});

test('a volume of this simulator is at every node without being attached', async () => {
  await using cluster = await aCluster({ nodes: 1 });
  const { kube } = cluster;
  const attachments = kube.resource(volumeAttachments);
  const csi = { driver: ourDriver, volumeHandle: 'ours' };
  await use(kube, { ...disk, metadata: { name: 'ours' }, spec: { ...disk.spec, csi } }, 'first');
  await until('the pod to run', async () => {
    const { status } = await kube.resource(pods).get({ namespace, name: 'first' });
    return status?.phase === 'Running';
  });
  // When this one is attached, the other would be.
  await use(kube, disk, 'second');
  await until('the attachment', () => attachments.find({ name: attachmentName(disk, 'n1') }));
  expect((await attachments.list()).items).toHaveLength(1);
});
