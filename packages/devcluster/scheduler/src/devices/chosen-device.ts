import type { Device, ResourceSlice } from '@slipway/kube-objects/kinds/api/devices';
import type { DeviceWish } from '@slipway/kube-objects/kinds/api/resource-claims';
import type { Quantities } from './devices-in-use.js';

/** A device that was chosen for a request. */
export interface ChosenDevice {
  readonly claim: number;
  /** `REQUEST`, or `REQUEST/CHOICE`. */
  readonly request: string;
  readonly wish: DeviceWish;
  readonly isAdmin: boolean;
  /** `DRIVER/POOL/DEVICE` */
  readonly id: string;
  readonly driver: string;
  readonly poolId: string;
  readonly device: Device;
  readonly slice: ResourceSlice;
  /** Of a device that claims share: what this one takes of it. */
  readonly takes: Quantities | undefined;
  /** Whether it takes counters of its pool; the second claim of a shared device takes none. */
  readonly countsInPool: boolean;
}
