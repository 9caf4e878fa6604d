import { sameJson } from '@slipway/kube';
import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import type { PersistentVolumeClaim } from '@slipway/kube-objects/kinds/api/volumes';
import { isReachable } from '@slipway/kube-objects/rules/match-volume';
import { notMadeFor, podClaims } from '@slipway/kube-objects/rules/pod-claims';
import type { Demand } from '../demand/demand.js';
import type { ClusterView } from '../view/cluster-view.js';
import { chooseVolumes } from '../volumes/choose-volumes.js';
import { roomFor } from '../volumes/storage-capacity.js';
import { type Filter, type Objection, permanent } from './filter.js';

const lost = 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)';
const unreachable = "node(s) didn't match PersistentVolume's node affinity";
const unavailable = "node(s) didn't find available persistent volumes to bind";
const noRoom = 'node(s) did not have enough free storage';

/** Volumes have to be there, and to be reachable from the node; claims of a class that waits for its pod can have one there. */
export const volumeBinding: Filter = {
  name: 'VolumeBinding',
  refuses: ({ pod }, cluster) => refusal(pod, cluster),
  prepare(demand, cluster) {
    const bound = claimsOf(demand, cluster).filter(isBound);
    const volumes = bound.map(({ spec }) => cluster.volumes.volume(spec.volumeName ?? ''));
    const known = volumes.filter((volume) => volume !== undefined);
    const isLost = known.length < volumes.length;
    const waiting = waitingClaims(demand, cluster);
    if (!isLost && waiting.length === 0 && !known.some(({ spec }) => spec.nodeAffinity)) return undefined;
    const classes = new Map(
      waiting.map(({ spec }) => [spec.storageClassName, cluster.volumes.ofClass(spec.storageClassName ?? '')]),
    );
    const view = { ...cluster.volumes, ofClass: (name: string) => classes.get(name) ?? [] };
    return {
      on({ node }): Objection | undefined {
        if (isLost) return permanent(lost);
        const reasons = known.every((volume) => isReachable(volume, node)) ? [] : [unreachable];
        const choice = waiting.length > 0 ? chooseVolumes(waiting, node, view) : undefined;
        if (waiting.length > 0 && !choice) reasons.push(unavailable);
        if (choice?.provisions.some((claim) => !roomFor(claim, node, cluster.volumes))) reasons.push(noRoom);
        return reasons.length > 0 ? { reasons, removable: false } : undefined;
      },
    };
  },
  helpedBy(demand, change) {
    if (change.kind === 'volumes') return change.claim === undefined || isClaimOf(demand, change.claim);
    if (change.kind !== 'node') return false;
    return !sameJson(change.before?.node.metadata.labels, change.after.node.metadata.labels);
  },
};

/** Claims of a pod that get their volume only once it has a node. */
export function waitingClaims({ pod }: Demand, cluster: ClusterView): readonly PersistentVolumeClaim[] {
  const claims = claimsOf({ pod }, cluster);
  return claims.filter((claim) => !isBound(claim) && waitsForPod(claim, cluster));
}

function isClaimOf({ pod }: Demand, { metadata }: PersistentVolumeClaim): boolean {
  const isSameNamespace = pod.metadata.namespace === metadata.namespace;
  return isSameNamespace && podClaims(pod).some(({ name }) => name === metadata.name);
}

function claimsOf({ pod }: Pick<Demand, 'pod'>, { volumes }: ClusterView): readonly PersistentVolumeClaim[] {
  const namespace = pod.metadata.namespace ?? '';
  return podClaims(pod).flatMap(({ name }) => volumes.claim(namespace, name) ?? []);
}

function refusal(pod: Pod, cluster: ClusterView): string | undefined {
  for (const { name, isOwn } of podClaims(pod)) {
    const which = `persistentvolumeclaim ${JSON.stringify(name)}`;
    const claim = cluster.volumes.claim(pod.metadata.namespace ?? '', name);
    if (!claim) return isOwn ? `waiting for ephemeral volume controller to create the ${which}` : `${which} not found`;
    const { metadata, spec, status } = claim;
    if (status?.phase === 'Lost')
      return `${which} bound to non-existent persistentvolume ${JSON.stringify(spec.volumeName)}`;
    if (metadata.deletionTimestamp) return `${which} is being deleted`;
    const problem = isOwn ? notMadeFor(pod, claim) : undefined;
    if (problem !== undefined) return problem;
  }
  const isUnbound = claimsOf({ pod }, cluster).some((claim) => !isBound(claim) && !waitsForPod(claim, cluster));
  return isUnbound ? 'pod has unbound immediate PersistentVolumeClaims' : undefined;
}

function isBound({ status, spec }: PersistentVolumeClaim): boolean {
  return status?.phase === 'Bound' && Boolean(spec.volumeName);
}

function waitsForPod({ spec }: PersistentVolumeClaim, { volumes }: ClusterView): boolean {
  return volumes.storageClass(spec.storageClassName ?? '')?.volumeBindingMode === 'WaitForFirstConsumer';
}
