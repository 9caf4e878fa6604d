import type { Condition, KubeObject, ResourceRef } from '@slipway/kube';
import type { DeviceConfiguration, DeviceSelector, DeviceToleration } from './devices.js';
import type { NodeSelectorTerm } from './pods.js';

/** ResourceClaim of resource.k8s.io/v1. */
export interface ResourceClaim extends KubeObject {
  spec: ResourceClaimSpec;
  status?: ResourceClaimStatus;
}

export interface ResourceClaimSpec {
  readonly devices?: {
    readonly requests?: readonly DeviceRequest[];
    readonly constraints?: readonly DeviceConstraint[];
    readonly config?: readonly (DeviceConfiguration & { readonly requests?: readonly string[] })[];
  };
}

/** Asks for devices: of one sort, or of the first of several sorts that can be had. */
export interface DeviceRequest {
  readonly name: string;
  readonly exactly?: DeviceWish & { readonly adminAccess?: boolean };
  readonly firstAvailable?: readonly (DeviceWish & { readonly name: string })[];
}

export interface DeviceWish {
  readonly deviceClassName: string;
  readonly selectors?: readonly DeviceSelector[];
  readonly allocationMode?: 'ExactCount' | 'All';
  readonly count?: number;
  readonly tolerations?: readonly DeviceToleration[];
  /** Amounts of a device that several claims share, as quantities by capacity. */
  readonly capacity?: { readonly requests?: Readonly<Record<string, string>> };
}

/** A rule for all devices of a claim, or for those of some requests. */
export interface DeviceConstraint {
  readonly requests?: readonly string[];
  readonly matchAttribute?: string;
  readonly distinctAttribute?: string;
}

export interface ResourceClaimStatus {
  readonly allocation?: Allocation;
  readonly reservedFor?: readonly Consumer[];
  readonly devices?: readonly DeviceStatus[];
}

/** The devices that a claim has. */
export interface Allocation {
  readonly devices?: {
    readonly results?: readonly AllocatedDevice[];
    readonly config?: readonly (DeviceConfiguration & {
      readonly source: 'FromClass' | 'FromClaim';
      readonly requests?: readonly string[];
    })[];
  };
  /** Nodes from which the devices can be used; absent: all. */
  readonly nodeSelector?: { readonly nodeSelectorTerms: readonly NodeSelectorTerm[] };
  readonly allocationTimestamp?: string;
}

export interface AllocatedDevice {
  /** `REQUEST`, or `REQUEST/CHOICE` of one with choices. */
  readonly request: string;
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
  readonly adminAccess?: boolean;
  readonly tolerations?: readonly DeviceToleration[];
  readonly bindingConditions?: readonly string[];
  readonly bindingFailureConditions?: readonly string[];
  /** Tells apart the claims that share the device. */
  readonly shareID?: string;
  /** Quantities by capacity that the claim takes of a shared device. */
  readonly consumedCapacity?: Readonly<Record<string, string>>;
}

/** An object that uses a claim. */
export interface Consumer {
  readonly apiGroup?: string;
  readonly resource: string;
  readonly name: string;
  readonly uid: string;
}

/** What a driver reports of an allocated device. */
export interface DeviceStatus {
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
  readonly shareID?: string;
  readonly conditions?: readonly Condition[];
}

/** ResourceClaimTemplate of resource.k8s.io/v1. */
export interface ResourceClaimTemplate extends KubeObject {
  spec: {
    readonly metadata?: Pick<KubeObject['metadata'], 'labels' | 'annotations'>;
    readonly spec: ResourceClaimSpec;
  };
}

export const resourceClaims: ResourceRef<ResourceClaim> = {
  group: 'resource.k8s.io',
  version: 'v1',
  kind: 'ResourceClaim',
  plural: 'resourceclaims',
  namespaced: true,
};

export const resourceClaimTemplates: ResourceRef<ResourceClaimTemplate> = {
  group: 'resource.k8s.io',
  version: 'v1',
  kind: 'ResourceClaimTemplate',
  plural: 'resourceclaimtemplates',
  namespaced: true,
};
