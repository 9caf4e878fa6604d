import type { DeviceView } from '../devices/device-view.js';
import { devicesInUse } from '../devices/devices-in-use.js';
import { SliceIndex } from '../devices/slice-index.js';
import type { ClusterView, VolumeView } from './cluster-view.js';
import type { NodeState } from './node-state.js';
import { SpreadCounts } from './spread-counts.js';

/** No claims, volumes and classes. */
export const noVolumes: VolumeView = {
  claim: () => undefined,
  volume: () => undefined,
  ofClass: () => [],
  storageClass: () => undefined,
  driver: () => undefined,
  driversOf: () => [],
  capacities: () => [],
  attachedTo: () => [],
};

/** No claims for devices, and no devices. */
export const noDevices: DeviceView = {
  claim: () => undefined,
  isBeingAllocated: () => false,
  deviceClass: () => undefined,
  slices: () => new SliceIndex([]),
  resourceClasses: () => new Map(),
  leftOver: () => undefined,
  nowMs: () => 0,
  inUse: () => devicesInUse([]),
  compile: () => 'no device is known',
};

/** A cluster of which nothing is known but its nodes and the pods on them. */
export function viewOf(nodes: readonly NodeState[]): ClusterView {
  return {
    nodes,
    sociable: nodes.filter(({ sociable }) => sociable.length > 0),
    nominated: new Map(),
    namespaceLabels: () => undefined,
    budgets: [],
    volumes: noVolumes,
    devices: noDevices,
    defaultSpread: () => [],
    spreadCounts: new SpreadCounts(),
  };
}
