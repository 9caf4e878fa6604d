import type { Device, DeviceClass } from '@slipway/kube-objects/kinds/api/devices';
import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import type { ResourceClaim } from '@slipway/kube-objects/kinds/api/resource-claims';
import type { DevicesInUse } from './devices-in-use.js';
import type { ResourceClasses } from './extended-resources.js';
import type { SliceIndex } from './slice-index.js';

/** Says whether the device of a driver fulfils a condition; a string when it cannot be evaluated: the reason. */
export type DeviceCondition = (driver: string, device: Device) => boolean | string;

/** Compiles a CEL expression about devices; a string when it cannot be: the reason. */
export type CompileSelector = (expression: string) => DeviceCondition | string;

/** Claims, and the devices that there are for them. */
export interface DeviceView {
  readonly claim: (namespace: string, name: string) => ResourceClaim | undefined;
  /** Whether devices were chosen for the claim and are not written yet. */
  readonly isBeingAllocated: (claim: ResourceClaim) => boolean;
  readonly deviceClass: (name: string) => DeviceClass | undefined;
  /** Classes that stand for extended resources. */
  readonly resourceClasses: () => ResourceClasses;
  /** A claim that was made for extended resources of the pod when it was tried before. */
  readonly leftOver: (pod: Pod) => ResourceClaim | undefined;
  readonly slices: () => SliceIndex;
  readonly inUse: () => DevicesInUse;
  readonly compile: CompileSelector;
  readonly nowMs: () => number;
}
