import type { PodDisruptionBudget } from '@slipway/kube-objects/kinds/api/disruption-budgets';
import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
} from '@slipway/kube-objects/kinds/api/volumes';
import type { Demand } from '../demand/demand.js';
import type { NamespaceLabels } from '../demand/pod-term.js';
import type { SpreadRule } from '../demand/spread-rule.js';
import type { DeviceView } from '../devices/device-view.js';
import type { NodeState } from './node-state.js';
import type { SpreadCounts } from './spread-counts.js';

/** Claims, volumes and classes. */
export interface VolumeView {
  readonly claim: (namespace: string, name: string) => PersistentVolumeClaim | undefined;
  readonly volume: (name: string) => PersistentVolume | undefined;
  /** The volumes of a class that are not about to be bound. */
  readonly ofClass: (name: string) => readonly PersistentVolume[];
  readonly storageClass: (name: string) => StorageClass | undefined;
  readonly driver: (name: string) => CSIDriver | undefined;
  /** The drivers that a node has. */
  readonly driversOf: (node: string) => CSINode['spec']['drivers'];
  readonly capacities: () => readonly CSIStorageCapacity[];
  /** Volumes that are attached to a node, whether a pod has them or not. */
  readonly attachedTo: (node: string) => readonly PersistentVolume[];
}

/** The cluster as one scheduling decision sees it. */
export interface ClusterView {
  readonly nodes: readonly NodeState[];
  /** Those of them with pods that have rules about other pods: few, in most clusters. */
  readonly sociable: readonly NodeState[];
  /** Pods for which room is being made, by the node that it is made on. */
  readonly nominated: ReadonlyMap<string, readonly Demand[]>;
  readonly namespaceLabels: NamespaceLabels;
  readonly budgets: readonly PodDisruptionBudget[];
  readonly volumes: VolumeView;
  readonly devices: DeviceView;
  /** How a pod spreads that says nothing of it itself. @throws SelectorError */
  readonly defaultSpread: (pod: Pod) => readonly SpreadRule[];
  /** What the pods to be spread are counted by. */
  readonly spreadCounts: SpreadCounts;
}
