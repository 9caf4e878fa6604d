import type { VersionProfile } from '@slipway/kube-objects/rules/version-profile';
import { dynamicResources } from './dynamic-resources.js';
import type { Filter } from './filter.js';
import { interPodAffinity } from './inter-pod-affinity.js';
import { nodeAffinity } from './node-affinity.js';
import { nodePorts } from './node-ports.js';
import { nodeUnschedulable } from './node-unschedulable.js';
import { resourcesFit } from './resources-fit.js';
import { taintToleration } from './taint-toleration.js';
import { topologySpread } from './topology-spread.js';
import { volumeBinding } from './volume-binding.js';
import { volumeLimits } from './volume-limits.js';
import { volumeRestrictions } from './volume-restrictions.js';
import { volumeZone } from './volume-zone.js';

/** The filters in the order in which they are asked: the first that objects to a node is the one that is quoted. */
export function allFilters({
  namesTaints,
  wantsDrivers,
}: Pick<VersionProfile, 'namesTaints' | 'wantsDrivers'>): readonly Filter[] {
  return [
    nodeUnschedulable,
    taintToleration(namesTaints),
    nodeAffinity,
    nodePorts,
    resourcesFit,
    volumeRestrictions,
    volumeLimits(wantsDrivers),
    volumeBinding,
    volumeZone,
    topologySpread,
    interPodAffinity,
    dynamicResources,
  ];
}
