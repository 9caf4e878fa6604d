import { podClaims } from '@slipway/kube-objects/rules/pod-claims';
import type { Demand } from '../demand/demand.js';
import type { ClusterView } from '../view/cluster-view.js';
import { type Check, type Filter, removable } from './filter.js';

const inUse =
  'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod';

/** A claim of one pod only is for one pod of the whole cluster. */
export const volumeRestrictions: Filter = {
  name: 'VolumeRestrictions',
  prepare(demand, cluster) {
    const exclusive = exclusiveClaims(demand, cluster);
    if (exclusive.size === 0) return undefined;
    const uses = (other: Demand) => claimKeys(other).filter((key) => exclusive.has(key)).length;
    const others = cluster.nodes.flatMap(({ pods }) => pods);
    return checkOf(
      others.reduce((count, other) => count + uses(other), 0),
      uses,
    );
  },
  helpedBy(demand, change, cluster) {
    if (change.kind !== 'pod' || !change.before || change.after) return false;
    const exclusive = exclusiveClaims(demand, cluster);
    return claimKeys(change.before).some((key) => exclusive.has(key));
  },
};

function checkOf(count: number, uses: (other: Demand) => number): Check {
  return {
    on: () => (count > 0 ? removable(inUse) : undefined),
    after: (other, _node, by) => checkOf(count + by * uses(other), uses),
  };
}

function exclusiveClaims(demand: Demand, { volumes }: ClusterView): ReadonlySet<string> {
  const { namespace = '' } = demand.pod.metadata;
  const modesOf = (name: string) => volumes.claim(namespace, name)?.spec.accessModes ?? [];
  return new Set(claimKeys(demand, (name) => modesOf(name).includes('ReadWriteOncePod')));
}

function claimKeys({ pod }: Demand, counts: (name: string) => boolean = () => true): readonly string[] {
  return podClaims(pod).flatMap(({ name }) => (counts(name) ? [`${pod.metadata.namespace}/${name}`] : []));
}
