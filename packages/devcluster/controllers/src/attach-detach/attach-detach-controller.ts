import { Controller, hasReason, type KubeObject, type ObjectRef, type Reconciler, refOf } from '@slipway/kube';
import { type Pod, pods } from '@slipway/kube-objects/kinds/api/pods';
import {
  csiDrivers,
  type PersistentVolume,
  type PersistentVolumeClaim,
  persistentVolumeClaims,
  persistentVolumes,
  type VolumeAttachment,
  volumeAttachments,
} from '@slipway/kube-objects/kinds/api/volumes';
import { podClaims } from '@slipway/kube-objects/rules/pod-claims';
import { ourDriver } from '../persistent-volume/plan-claim.js';
import type { WorkloadDeps } from '../workloads/workload-deps.js';
import { planAttachments } from './plan-attachments.js';

/** Asks CSI drivers to attach volumes to the nodes of the pods that use them, and to detach them behind those. */
export function attachDetachController(deps: WorkloadDeps): Controller {
  const claims = deps.informers.informer(persistentVolumeClaims).lister;
  const volumes = deps.informers.informer(persistentVolumes).lister;
  const volumesOf = (pod: KubeObject) =>
    podClaims(pod).flatMap(({ name }) => {
      const claim = claims.get({ name, namespace: pod.metadata.namespace });
      return claim ? volumeOf(claim) : [];
    });
  const volumesBy = ({ metadata }: KubeObject) =>
    volumes.list().filter(({ spec }) => spec.csi?.driver === metadata.name);
  return new Controller({
    ...deps,
    name: 'attachdetach-controller',
    for: persistentVolumes,
    watches: [
      { of: pods, map: volumesOf },
      { of: persistentVolumeClaims, map: (claim) => volumeOf(claim as PersistentVolumeClaim) },
      { of: volumeAttachments, map: (attachment) => volumeAttachedBy(attachment as VolumeAttachment) },
      { of: csiDrivers, map: (driver) => volumesBy(driver).map(refOf) },
    ],
    reconcile: attachmentReconciler(deps),
  });
}

function volumeOf({ spec }: PersistentVolumeClaim): readonly ObjectRef[] {
  return spec.volumeName ? [{ name: spec.volumeName }] : [];
}

function volumeAttachedBy({ spec }: VolumeAttachment): readonly ObjectRef[] {
  const { persistentVolumeName: name } = spec.source;
  return name ? [{ name }] : [];
}

/** Observes one volume with the pods that use it, and carries out the plan. */
function attachmentReconciler({ kube, informers }: Omit<WorkloadDeps, 'log'>): Reconciler {
  const client = kube.resource(volumeAttachments);
  const volumes = informers.informer(persistentVolumes).lister;
  const claims = informers.informer(persistentVolumeClaims).lister;
  const podLister = informers.informer(pods).lister;
  const attachments = informers.informer(volumeAttachments).lister;
  const drivers = informers.informer(csiDrivers).lister;
  /** What was last reported of the attachments that were made here, by their names. */
  const reported = new Map<string, string>();

  function usersOf({ metadata, spec }: PersistentVolume): readonly Pod[] {
    const { namespace, name = '' } = spec.claimRef ?? {};
    const claim = claims.get({ namespace, name });
    if (claim?.spec.volumeName !== metadata.name) return [];
    return podLister.list({ namespace }).filter((pod) => podClaims(pod).some((used) => used.name === name));
  }

  return async (ref, { signal, events }) => {
    const volume = volumes.get(ref);
    const source = volume?.spec.csi;
    if (!volume || !source || source.driver === ourDriver) return;
    const users = usersOf(volume);
    const present = attachments.list().filter(({ spec }) => spec.source.persistentVolumeName === ref.name);
    const plan = planAttachments(volume, drivers.get({ name: source.driver }), users, present);
    for (const attachment of present) report(attachment);
    for (const pod of plan.blocked) {
      const message = `Multi-Attach error for volume "${ref.name}" Volume is already exclusively attached to one node and can't be attached to another`;
      events.event(pod, 'Warning', 'FailedAttachVolume', message);
    }
    for (const attachment of plan.detach) {
      await client.delete(refOf(attachment), { preconditions: { uid: attachment.metadata.uid ?? '' }, signal });
    }
    for (const attachment of plan.attach) {
      reported.set(attachment.metadata.name ?? '', '');
      await client.create(attachment, { signal }).catch((error) => {
        // The cache may be older than the last write of this controller.
        if (!hasReason(error, 'AlreadyExists')) throw error;
      });
    }

    /** Says once how attaching went, to the pods that wait for it. */
    function report({ metadata: { name = '' }, spec, status }: VolumeAttachment): void {
      const before = reported.get(name);
      if (before === undefined) return;
      const failure = status?.attachError?.message ?? '';
      const waiting = users.filter((pod) => pod.spec.nodeName === spec.nodeName);
      if (status?.attached) {
        reported.delete(name);
        const message = `AttachVolume.Attach succeeded for volume "${ref.name}" `;
        for (const pod of waiting) events.event(pod, 'Normal', 'SuccessfulAttachVolume', message);
      } else if (failure !== before) {
        reported.set(name, failure);
        const message = `AttachVolume.Attach failed for volume "${ref.name}" : ${failure}`;
        for (const pod of waiting) events.event(pod, 'Warning', 'FailedAttachVolume', message);
      }
    }
  };
}
