import { sameJson } from '@slipway/kube';
import type { PersistentVolume } from '@slipway/kube-objects/kinds/api/volumes';
import { podClaims } from '@slipway/kube-objects/rules/pod-claims';
import type { Demand } from '../demand/demand.js';
import type { ClusterView } from '../view/cluster-view.js';
import { type Filter, permanent } from './filter.js';

const conflict = 'node(s) had no available volume zone';

/** Labels of zones and regions, and those that took the place of the first two. */
const labels: ReadonlyMap<string, string> = new Map([
  ['failure-domain.beta.kubernetes.io/zone', 'topology.kubernetes.io/zone'],
  ['failure-domain.beta.kubernetes.io/region', 'topology.kubernetes.io/region'],
  ['topology.kubernetes.io/zone', 'topology.kubernetes.io/zone'],
  ['topology.kubernetes.io/region', 'topology.kubernetes.io/region'],
]);

interface Place {
  readonly label: string;
  readonly values: readonly string[];
}

/** Volumes whose labels name zones or regions are for nodes there, or for nodes of which neither is known. */
export const volumeZone: Filter = {
  name: 'VolumeZone',
  prepare(demand, cluster) {
    const places = volumesOf(demand, cluster).flatMap(placesOf);
    if (places.length === 0) return undefined;
    return {
      on({ node }) {
        const of = node.metadata.labels ?? {};
        if (![...labels.keys()].some((label) => label in of)) return undefined;
        const isThere = ({ label, values }: Place) => values.includes(of[label] ?? of[labels.get(label) ?? ''] ?? '');
        return places.every(isThere) ? undefined : permanent(conflict);
      },
    };
  },
  helpedBy(demand, change, cluster) {
    if (change.kind === 'volumes') return volumesOf(demand, cluster).length > 0;
    if (change.kind !== 'node') return false;
    return !sameJson(change.before?.node.metadata.labels, change.after.node.metadata.labels);
  },
};

function volumesOf({ pod }: Demand, { volumes }: ClusterView): readonly PersistentVolume[] {
  const namespace = pod.metadata.namespace ?? '';
  return podClaims(pod).flatMap(({ name, isOwn }) => {
    const claim = isOwn ? undefined : volumes.claim(namespace, name);
    return (claim && volumes.volume(claim.spec.volumeName ?? '')) ?? [];
  });
}

function placesOf({ metadata }: PersistentVolume): readonly Place[] {
  return [...labels.keys()].flatMap((label) => {
    const value = metadata.labels?.[label];
    return value === undefined ? [] : [{ label, values: value.split('__') }];
  });
}
