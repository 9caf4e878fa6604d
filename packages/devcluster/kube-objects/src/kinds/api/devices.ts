import type { Condition, KubeObject, ResourceRef } from '@slipway/kube';
import type { NodeSelectorTerm } from './pods.js';

/** ResourceSlice of resource.k8s.io/v1: devices of one pool of a driver, or counters that they share. */
export interface ResourceSlice extends KubeObject {
  spec: NodeSelection & {
    readonly driver: string;
    readonly pool: { readonly name: string; readonly generation?: number; readonly resourceSliceCount: number };
    /** Whether each device has a node selection of its own. */
    readonly perDeviceNodeSelection?: boolean;
    readonly devices?: readonly Device[];
    readonly sharedCounters?: readonly Counters[];
  };
}

/** The nodes from which devices can be used: one of the three. */
export interface NodeSelection {
  readonly nodeName?: string;
  readonly nodeSelector?: { readonly nodeSelectorTerms: readonly NodeSelectorTerm[] };
  readonly allNodes?: boolean;
}

export interface Device extends NodeSelection {
  readonly name: string;
  /** By `DOMAIN/NAME`, or by `NAME` in the domain of the driver. */
  readonly attributes?: Readonly<Record<string, DeviceAttribute>>;
  readonly capacity?: Readonly<Record<string, DeviceCapacity>>;
  readonly taints?: readonly DeviceTaint[];
  readonly consumesCounters?: readonly Counters[];
  /** Whether several claims may share the device. */
  readonly allowMultipleAllocations?: boolean;
  /** Whether a claim that has the device is bound to the node for which it was allocated. */
  readonly bindsToNode?: boolean;
  readonly bindingConditions?: readonly string[];
  readonly bindingFailureConditions?: readonly string[];
}

/** One of the four. */
export interface DeviceAttribute {
  readonly string?: string;
  readonly int?: number;
  readonly bool?: boolean;
  readonly version?: string;
}

export interface DeviceCapacity {
  /** A quantity. */
  readonly value: string;
  /** The amounts that a claim may take of a shared device, as quantities. */
  readonly requestPolicy?: {
    readonly default?: string;
    readonly validValues?: readonly string[];
    readonly validRange?: { readonly min: string; readonly max?: string; readonly step?: string };
  };
}

export interface DeviceTaint {
  readonly key: string;
  readonly value?: string;
  readonly effect: 'NoSchedule' | 'NoExecute' | 'None';
  readonly timeAdded?: string;
}

/** DeviceTaintRule of resource.k8s.io/v1: a taint of all devices that it selects. */
export interface DeviceTaintRule extends KubeObject {
  spec: { readonly deviceSelector?: DeviceTaintSelector; readonly taint: DeviceTaint };
  status?: { conditions?: Condition[] };
}

/** All that it names must be so; one that names nothing selects every device. */
export interface DeviceTaintSelector {
  readonly driver?: string;
  readonly pool?: string;
  readonly device?: string;
}

export interface DeviceToleration {
  readonly key?: string;
  readonly operator?: 'Exists' | 'Equal';
  readonly value?: string;
  readonly effect?: 'NoSchedule' | 'NoExecute';
  readonly tolerationSeconds?: number;
}

/** Quantities of one counter set: what there is of them, or what a device takes of them. */
export interface Counters {
  readonly name?: string;
  readonly counterSet?: string;
  readonly counters?: Readonly<Record<string, { readonly value: string }>>;
}

/** A condition on devices. */
export interface DeviceSelector {
  readonly cel?: { readonly expression: string };
}

/** Parameters for the driver of a device. */
export interface DeviceConfiguration {
  readonly opaque?: { readonly driver: string; readonly parameters: unknown };
}

/** DeviceClass of resource.k8s.io/v1. */
export interface DeviceClass extends KubeObject {
  spec: {
    readonly selectors?: readonly DeviceSelector[];
    readonly config?: readonly DeviceConfiguration[];
    /** The extended resource that devices of the class stand for, such as `example.com/gpu`. */
    readonly extendedResourceName?: string;
  };
}

export const resourceSlices: ResourceRef<ResourceSlice> = {
  group: 'resource.k8s.io',
  version: 'v1',
  kind: 'ResourceSlice',
  plural: 'resourceslices',
  namespaced: false,
};

export const deviceClasses: ResourceRef<DeviceClass> = {
  group: 'resource.k8s.io',
  version: 'v1',
  kind: 'DeviceClass',
  plural: 'deviceclasses',
  namespaced: false,
};

export const deviceTaintRules: ResourceRef<DeviceTaintRule> = {
  group: 'resource.k8s.io',
  version: 'v1',
  kind: 'DeviceTaintRule',
  plural: 'devicetaintrules',
  namespaced: false,
};
