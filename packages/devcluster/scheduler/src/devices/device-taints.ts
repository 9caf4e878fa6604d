import type { Device, DeviceTaint, DeviceToleration } from '@slipway/kube-objects/kinds/api/devices';
import type { DeviceWish } from '@slipway/kube-objects/kinds/api/resource-claims';

/** Whether a taint of the device keeps it from claims, and the wish does not tolerate it. */
export function isKeptAway({ taints = [] }: Device, { tolerations = [] }: DeviceWish): boolean {
  return taints.some((taint) => taint.effect !== 'None' && !tolerations.some((one) => tolerates(one, taint)));
}

function tolerates({ key, operator = 'Equal', value = '', effect }: DeviceToleration, taint: DeviceTaint): boolean {
  if (effect && effect !== taint.effect) return false;
  if (key && key !== taint.key) return false;
  return operator === 'Exists' || value === (taint.value ?? '');
}
