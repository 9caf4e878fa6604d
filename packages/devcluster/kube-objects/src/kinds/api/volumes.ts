import type { KubeObject, LabelSelector, ObjectReference, ResourceRef } from '@slipway/kube';
import type { NodeAffinity } from './pods.js';

/** PersistentVolumeClaim of core/v1. */
export interface PersistentVolumeClaim extends KubeObject {
  spec: {
    accessModes?: readonly string[];
    selector?: LabelSelector;
    resources?: { readonly requests?: Readonly<Record<string, string>> };
    /** The volume that the claim has, or wants. */
    volumeName?: string;
    /** '' asks for no class; absent when there was no default one either. */
    storageClassName?: string;
    volumeMode?: string;
  };
  status?: {
    readonly phase?: 'Pending' | 'Bound' | 'Lost';
    readonly accessModes?: readonly string[];
    readonly capacity?: Readonly<Record<string, string>>;
  };
}

/** PersistentVolume of core/v1; its source is carried along unread. */
export interface PersistentVolume extends KubeObject {
  spec: {
    capacity?: Readonly<Record<string, string>>;
    accessModes?: readonly string[];
    claimRef?: Partial<ObjectReference>;
    persistentVolumeReclaimPolicy?: 'Retain' | 'Delete' | 'Recycle';
    storageClassName?: string;
    volumeMode?: string;
    csi?: { readonly driver: string; readonly volumeHandle: string };
    nodeAffinity?: { readonly required?: NonNullable<NodeAffinity['requiredDuringSchedulingIgnoredDuringExecution']> };
    readonly [source: string]: unknown;
  };
  status?: { readonly phase?: 'Pending' | 'Available' | 'Bound' | 'Released' | 'Failed' };
}

/** StorageClass of storage.k8s.io/v1. */
export interface StorageClass extends KubeObject {
  provisioner: string;
  reclaimPolicy?: 'Retain' | 'Delete';
  volumeBindingMode?: 'Immediate' | 'WaitForFirstConsumer';
  /** Where volumes may be made, one of these; anywhere when there is none. */
  allowedTopologies?: readonly TopologySelectorTerm[];
  /** Whether claims may ask for more once they have their volume. */
  allowVolumeExpansion?: boolean;
}

/** Nodes whose labels have one of the values for each key. */
export interface TopologySelectorTerm {
  readonly matchLabelExpressions?: readonly { readonly key: string; readonly values: readonly string[] }[];
}

/** CSIDriver of storage.k8s.io/v1. */
export interface CSIDriver extends KubeObject {
  spec: {
    /** Whether its volumes are attached to nodes before pods use them. Default: true. */
    readonly attachRequired?: boolean;
    /** Whether the driver says where it has room, in CSIStorageCapacities. */
    readonly storageCapacity?: boolean;
    /** Whether pods with its volumes are for nodes that have it. */
    readonly preventPodSchedulingIfMissing?: boolean;
  };
}

/** CSINode of storage.k8s.io/v1: the drivers of the node of its name. */
export interface CSINode extends KubeObject {
  spec: {
    readonly drivers: readonly { readonly name: string; readonly allocatable?: { readonly count?: number } }[];
  };
}

/** CSIStorageCapacity of storage.k8s.io/v1: how much room there is for volumes of a class on some nodes. */
export interface CSIStorageCapacity extends KubeObject {
  storageClassName: string;
  /** Absent: no node. */
  nodeTopology?: LabelSelector;
  capacity?: string;
  /** Counts instead of `capacity` where it is said. */
  maximumVolumeSize?: string;
}

/** VolumeAttachment of storage.k8s.io/v1: a volume that a driver attaches to a node. */
export interface VolumeAttachment extends KubeObject {
  spec: {
    readonly attacher: string;
    readonly nodeName: string;
    readonly source: { readonly persistentVolumeName?: string };
  };
  status?: { readonly attached: boolean; readonly attachError?: { readonly message?: string } };
}

export const persistentVolumeClaims: ResourceRef<PersistentVolumeClaim> = {
  group: '',
  version: 'v1',
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
  namespaced: true,
};

export const persistentVolumes: ResourceRef<PersistentVolume> = {
  group: '',
  version: 'v1',
  kind: 'PersistentVolume',
  plural: 'persistentvolumes',
  namespaced: false,
};

export const storageClasses: ResourceRef<StorageClass> = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'StorageClass',
  plural: 'storageclasses',
  namespaced: false,
};

export const csiDrivers: ResourceRef<CSIDriver> = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'CSIDriver',
  plural: 'csidrivers',
  namespaced: false,
};

export const csiNodes: ResourceRef<CSINode> = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'CSINode',
  plural: 'csinodes',
  namespaced: false,
};

export const csiStorageCapacities: ResourceRef<CSIStorageCapacity> = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'CSIStorageCapacity',
  plural: 'csistoragecapacities',
  namespaced: true,
};

export const volumeAttachments: ResourceRef<VolumeAttachment> = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'VolumeAttachment',
  plural: 'volumeattachments',
  namespaced: false,
};
