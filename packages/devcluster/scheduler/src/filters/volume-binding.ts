import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import type { PersistentVolumeClaim } from '@slipway/kube-objects/kinds/api/volumes';
import { matchesTerms } from '@slipway/kube-objects/rules/node-affinity';
import { notMadeFor, podClaims } from '@slipway/kube-objects/rules/pod-claims';
import type { Demand } from '../demand/demand.js';
import type { ClusterView } from '../view/cluster-view.js';
import { type Filter, type Objection, permanent } from './filter.js';

/** Volumes have to be there, and to be reachable from the node. A claim of a class that waits for its pod may follow it. */
export const volumeBinding: Filter = {
  name: 'VolumeBinding',
  refuses: ({ pod }, cluster) => refusal(pod, cluster),
  prepare(demand, cluster) {
    const bound = claimsOf(demand, cluster).filter(isBound);
    const volumes = bound.map(({ spec }) => cluster.volumes.volume(spec.volumeName ?? ''));
    const required = volumes.flatMap((volume) => volume?.spec.nodeAffinity?.required ?? []);
    const isLost = volumes.includes(undefined);
    if (!isLost && required.length === 0) return undefined;
    return {
      on({ node }): Objection | undefined {
        if (isLost) {
          return permanent('node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)');
        }
        const isReachable = required.every(({ nodeSelectorTerms }) => matchesTerms(nodeSelectorTerms, node));
        return isReachable ? undefined : permanent("node(s) didn't match PersistentVolume's node affinity");
      },
    };
  },
  helpedBy: (_demand, { kind }) => kind === 'volumes' || kind === 'node',
};

/** Claims of a pod that get their volume only once it has a node. */
export function waitingClaims({ pod }: Demand, cluster: ClusterView): readonly PersistentVolumeClaim[] {
  const claims = claimsOf({ pod }, cluster);
  return claims.filter((claim) => !isBound(claim) && waitsForPod(claim, cluster));
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
