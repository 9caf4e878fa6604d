import type { PersistentVolume } from '@slipway/kube-objects/kinds/api/volumes';
import { podClaims } from '@slipway/kube-objects/rules/pod-claims';
import type { Demand } from '../demand/demand.js';
import type { VolumeView } from '../view/cluster-view.js';
import { type Filter, removable } from './filter.js';

const tooMany = 'node(s) exceed max volume count';

/**
 * A node has no more volumes of a driver than its CSINode says.
 * @param wantsDrivers whether a pod is kept off nodes that lack a driver of its volumes which wants it so
 */
export function volumeLimits(wantsDrivers: boolean): Filter {
  return {
    name: 'NodeVolumeLimits',
    prepare(demand, { volumes }) {
      const wanted = volumesOf(demand, volumes);
      if (wanted.size === 0) return undefined;
      const drivers = new Set(wanted.values());
      const isNeeded = (name: string) =>
        wantsDrivers && volumes.driver(name)?.spec.preventPodSchedulingIfMissing === true;
      const needed = [...drivers].filter(isNeeded);
      return {
        on({ name, pods }) {
          const present = volumes.driversOf(name);
          const missing = needed.find((driver) => !present.some((one) => one.name === driver));
          if (missing !== undefined) return removable(`${missing} CSI driver is not installed on the node`);
          const limits = present.flatMap(({ name: driver, allocatable }) => {
            return drivers.has(driver) && allocatable?.count !== undefined ? [{ driver, most: allocatable.count }] : [];
          });
          if (limits.length === 0) return undefined;
          const used = new Map(pods.flatMap((pod) => [...volumesOf(pod, volumes)]));
          const isUnused = ([volume]: readonly [string, string]) => !used.has(volume);
          // One that is attached still, and is no longer used, counts once more for the pod that wants it.
          const fresh = [...wanted].filter(isUnused);
          const all = [...used, ...volumes.attachedTo(name).flatMap(ofDriver).filter(isUnused), ...fresh];
          const countOf = (entries: typeof all, driver: string) => entries.filter(([, of]) => of === driver).length;
          const isFull = ({ driver, most }: (typeof limits)[number]) =>
            countOf(fresh, driver) > 0 && countOf(all, driver) > most;
          return limits.some(isFull) ? removable(tooMany) : undefined;
        },
      };
    },
    helpedBy(demand, change, { volumes }) {
      const wanted = volumesOf(demand, volumes);
      if (wanted.size === 0) return false;
      if (change.kind === 'volumes') return true;
      return change.kind === 'pod' && change.before !== undefined && change.after === undefined;
    },
  };
}

/** The driver of each volume of a pod, also of those that are still to be made. */
function volumesOf({ pod }: Demand, volumes: VolumeView): ReadonlyMap<string, string> {
  const namespace = pod.metadata.namespace ?? '';
  const found = podClaims(pod).flatMap(({ name }): readonly (readonly [string, string])[] => {
    const claim = volumes.claim(namespace, name);
    if (!claim) return [];
    const volume = claim.spec.volumeName ? volumes.volume(claim.spec.volumeName) : undefined;
    if (volume) return ofDriver(volume);
    const provisioner = volumes.storageClass(claim.spec.storageClassName ?? '')?.provisioner;
    return provisioner === undefined ? [] : [[`${provisioner} ${namespace}/${name}`, provisioner]];
  });
  return new Map(found);
}

function ofDriver({ spec: { csi } }: PersistentVolume): readonly (readonly [volume: string, driver: string])[] {
  return csi ? [[`${csi.driver}/${csi.volumeHandle}`, csi.driver]] : [];
}
