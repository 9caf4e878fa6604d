import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import type { PersistentVolumeClaim } from '@slipway/kube-objects/kinds/api/volumes';
import { matchesTerms } from '@slipway/kube-objects/rules/node-affinity';
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

/** Names of the claims that a pod uses. */
export function claimNames({ spec }: Pod): readonly string[] {
  return (spec.volumes ?? []).flatMap(({ persistentVolumeClaim }) => {
    const { claimName } = (persistentVolumeClaim ?? {}) as { claimName?: string };
    return claimName ? [claimName] : [];
  });
}

/** Claims of a pod that get their volume only once it has a node. */
export function waitingClaims({ pod }: Demand, cluster: ClusterView): readonly PersistentVolumeClaim[] {
  const claims = claimsOf({ pod }, cluster);
  return claims.filter((claim) => !isBound(claim) && waitsForPod(claim, cluster));
}

function claimsOf({ pod }: Pick<Demand, 'pod'>, { volumes }: ClusterView): readonly PersistentVolumeClaim[] {
  const namespace = pod.metadata.namespace ?? '';
  return claimNames(pod).flatMap((name) => volumes.claim(namespace, name) ?? []);
}

function refusal(pod: Pod, cluster: ClusterView): string | undefined {
  const names = claimNames(pod);
  if (names.length === 0) return undefined;
  const claims = claimsOf({ pod }, cluster);
  const missing = names.find((name) => !claims.some(({ metadata }) => metadata.name === name));
  if (missing !== undefined) return `persistentvolumeclaim ${JSON.stringify(missing)} not found`;
  for (const { metadata, spec, status } of claims) {
    const which = `persistentvolumeclaim ${JSON.stringify(metadata.name)}`;
    if (status?.phase === 'Lost')
      return `${which} bound to non-existent persistentvolume ${JSON.stringify(spec.volumeName)}`;
    if (metadata.deletionTimestamp) return `${which} is being deleted`;
  }
  const isUnbound = claims.some((claim) => !isBound(claim) && !waitsForPod(claim, cluster));
  return isUnbound ? 'pod has unbound immediate PersistentVolumeClaims' : undefined;
}

function isBound({ status, spec }: PersistentVolumeClaim): boolean {
  return status?.phase === 'Bound' && Boolean(spec.volumeName);
}

function waitsForPod({ spec }: PersistentVolumeClaim, { volumes }: ClusterView): boolean {
  return volumes.storageClass(spec.storageClassName ?? '')?.volumeBindingMode === 'WaitForFirstConsumer';
}
