import type { DeviceTaint, DeviceToleration } from '../kinds/api/devices.js';

/** Whether a toleration is for the taint of a device. */
export function toleratesDeviceTaint(
  { key, operator = 'Equal', value = '', effect }: DeviceToleration,
  taint: DeviceTaint,
): boolean {
  if (effect && effect !== taint.effect) return false;
  if (key && key !== taint.key) return false;
  return operator === 'Exists' || value === (taint.value ?? '');
}
