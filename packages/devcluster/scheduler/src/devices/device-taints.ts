import type { Device } from '@slipway/kube-objects/kinds/api/devices';
import type { DeviceWish } from '@slipway/kube-objects/kinds/api/resource-claims';
import { toleratesDeviceTaint } from '@slipway/kube-objects/rules/device-taints';

/** Whether a taint of the device keeps it from claims, and the wish does not tolerate it. */
export function isKeptAway({ taints = [] }: Device, { tolerations = [] }: DeviceWish): boolean {
  return taints.some(
    (taint) => taint.effect !== 'None' && !tolerations.some((one) => toleratesDeviceTaint(one, taint)),
  );
}
