import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import type { CSIDriver, PersistentVolume, VolumeAttachment } from '@slipway/kube-objects/kinds/api/volumes';
import { expect, test } from 'vitest';
import { attachmentName, planAttachments } from './plan-attachments.js';

const csi = { driver: 'disks.example', volumeHandle: 'disk-1' };

function aVolume(accessModes: readonly string[], more: object = { csi }): PersistentVolume {
  return { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'v' }, spec: { accessModes, ...more } };
}

function aPod(nodeName: string | undefined, phase = 'Running'): Pod {
  const metadata = { name: `on-${nodeName}`, namespace: 'default' };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata,
    spec: { ...(nodeName && { nodeName }), containers: [] },
    status: { phase },
  } as unknown as Pod;
}

function attached(nodeName: string, metadata: object = {}): VolumeAttachment {
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttachment',
    metadata: { name: attachmentName(once, nodeName), ...metadata },
    spec: { attacher: csi.driver, nodeName, source: { persistentVolumeName: 'v' } },
  };
}

const driver = (attachRequired?: boolean): CSIDriver => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSIDriver',
  metadata: { name: csi.driver },
  spec: attachRequired === undefined ? {} : { attachRequired },
});

const once = aVolume(['ReadWriteOnce']);
const many = aVolume(['ReadWriteOnce', 'ReadWriteMany']);
const leaving = { deletionTimestamp: '2026-01-01T00:00:00Z' };

// what | volume | driver | pods | attachments | attach, detach, blocked
const cases: [string, PersistentVolume, CSIDriver | undefined, Pod[], VolumeAttachment[], string][] = [
  ['nothing uses', once, driver(), [], [], '- / - / -'],
  ['a pod without a node wants', once, driver(), [aPod(undefined)], [], '- / - / -'],
  ['a pod uses', once, driver(), [aPod('a')], [], 'a / - / -'],
  ['a pod uses whose driver is not declared', once, undefined, [aPod('a')], [], 'a / - / -'],
  ['a pod uses whose driver attaches nothing', once, driver(false), [aPod('a')], [], '- / - / -'],
  ['is of no driver', aVolume([], { hostPath: {} }), undefined, [aPod('a')], [], '- / - / -'],
  ['two pods of one node use', once, driver(), [aPod('a'), aPod('a')], [], 'a / - / -'],
  ['is attached', once, driver(), [aPod('a')], [attached('a')], '- / - / -'],
  ['a pod used that ended', once, driver(), [aPod('a', 'Succeeded')], [attached('a')], '- / a / -'],
  ['is on its way out of a node', once, driver(), [], [attached('a', leaving)], '- / - / -'],
  ['pods of two nodes use', once, driver(), [aPod('a'), aPod('b')], [], 'a / - / on-b'],
  ['a pod of another node wants', once, driver(), [aPod('a'), aPod('b')], [attached('b')], '- / - / on-a'],
  ['moves to another node', once, driver(), [aPod('b')], [attached('a')], '- / a / on-b'],
  ['has not left the other node', once, driver(), [aPod('b')], [attached('a', leaving)], '- / - / on-b'],
  ['may be on many nodes', many, driver(), [aPod('a'), aPod('b'), aPod('c')], [attached('b')], 'a c / - / -'],
  ['another attached by hand', once, driver(), [], [attached('a', { name: 'by-hand' })], '- / - / -'],
];

test.each(cases)('planAttachments() of a volume that %s', (_what, volume, csiDriver, pods, attachments, expected) => {
  const { attach, detach, blocked } = planAttachments(volume, csiDriver, pods, attachments);
  const nodes = (all: readonly VolumeAttachment[]) => all.map(({ spec }) => spec.nodeName);
  const parts = [nodes(attach), nodes(detach), blocked.map(({ metadata }) => metadata.name)];
  expect(parts.map((names) => names.join(' ') || '-').join(' / ')).toBe(expected);
});

test('attachmentName() is the hash that Kubernetes computes', () => {
  // echo -n disk-1disks.examplea | sha256sum
  expect(attachmentName(once, 'a')).toBe('csi-5dc50802a618a2bb41e24d49b68274656d47a1b8f94c93e400fcfe8b4fad4068');
});
