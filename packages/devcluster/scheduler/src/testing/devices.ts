import type { Device, DeviceClass, ResourceSlice } from '@slipway/kube-objects/kinds/api/devices';
import type {
  DeviceRequest,
  DeviceWish,
  ResourceClaim,
  ResourceClaimSpec,
} from '@slipway/kube-objects/kinds/api/resource-claims';
import type { DeviceView } from '../devices/device-view.js';
import { devicesInUse } from '../devices/devices-in-use.js';
import { SliceIndex } from '../devices/slice-index.js';
import { noDevices } from '../view/view-of.js';

export const driver = 'gpu.example.com';

/** A slice of the pool of its name that is the only one there, for all nodes unless `spec` says otherwise. */
export function aSlice(
  name: string,
  devices: readonly Device[],
  spec: Partial<ResourceSlice['spec']> = {},
): ResourceSlice {
  const place = spec.nodeName || spec.nodeSelector || spec.perDeviceNodeSelection ? {} : { allNodes: true };
  return {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceSlice',
    metadata: { name },
    spec: { driver, pool: { name, generation: 1, resourceSliceCount: 1 }, devices, ...place, ...spec },
  };
}

/** A request for devices of the class `gpu`. */
export function asks(name: string, wish: Partial<DeviceWish> & { readonly adminAccess?: boolean } = {}): DeviceRequest {
  return { name, exactly: { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 1, ...wish } };
}

export function aClaim(
  name: string,
  requests: readonly DeviceRequest[],
  more: Omit<NonNullable<ResourceClaimSpec['devices']>, 'requests'> = {},
): ResourceClaim {
  return {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaim',
    metadata: { namespace: 'default', name, uid: name },
    spec: { devices: { requests, ...more } },
  };
}

export function aDeviceClass(name: string, spec: DeviceClass['spec'] = {}): DeviceClass {
  return { apiVersion: 'resource.k8s.io/v1', kind: 'DeviceClass', metadata: { name }, spec };
}

/** Claims and devices; an expression is the name of the device that it selects, or `broken`. */
export function aDeviceView(
  slices: readonly ResourceSlice[],
  claims: readonly ResourceClaim[] = [],
  classes: readonly DeviceClass[] = [aDeviceClass('gpu')],
): DeviceView {
  const index = new SliceIndex(slices);
  return {
    ...noDevices,
    claim: (_, name) => claims.find(({ metadata }) => metadata.name === name),
    deviceClass: (name) => classes.find(({ metadata }) => metadata.name === name),
    slices: () => index,
    inUse: () => devicesInUse(claims.flatMap(({ status }) => status?.allocation ?? [])),
    compile: (expression) =>
      expression === 'broken'
        ? 'it is broken'
        : (_, { name }) => (name === 'odd' ? 'it is odd' : expression.includes(name)),
  };
}
