import type { DeviceTaint, DeviceToleration, ResourceSlice } from '@slipway/kube-objects/kinds/api/devices';
import type { AllocatedDevice, ResourceClaim } from '@slipway/kube-objects/kinds/api/resource-claims';
import { toleratesDeviceTaint } from '@slipway/kube-objects/rules/device-taints';

/**
 * Returns when the pods of a claim have to go because of taints of its devices, in milliseconds since the epoch;
 * undefined if they may stay.
 * @param slicesOf all slices of the pool of a device, in every generation
 */
export function evictionTime(
  { status }: ResourceClaim,
  slicesOf: (device: AllocatedDevice) => readonly ResourceSlice[],
): number | undefined {
  const times = (status?.allocation?.devices?.results ?? []).flatMap((allocated) => {
    const slices = slicesOf(allocated);
    const newest = Math.max(...slices.map(generationOf));
    const devices = slices.filter((slice) => generationOf(slice) === newest).flatMap(({ spec }) => spec.devices ?? []);
    const taints = devices.find(({ name }) => name === allocated.device)?.taints ?? [];
    return taints.flatMap((taint) => unbearableFrom(taint, allocated.tolerations ?? []) ?? []);
  });
  return times.length === 0 ? undefined : Math.min(...times);
}

function generationOf({ spec }: ResourceSlice): number {
  return spec.pool.generation ?? 0;
}

function unbearableFrom(taint: DeviceTaint, tolerations: readonly DeviceToleration[]): number | undefined {
  if (taint.effect !== 'NoExecute') return undefined;
  const tolerating = tolerations.filter((one) => one.effect === 'NoExecute' && toleratesDeviceTaint(one, taint));
  const seconds = tolerating.map(({ tolerationSeconds }) => tolerationSeconds);
  if (seconds.includes(undefined)) return undefined;
  const borneForMs = Math.min(...seconds.map((one) => Math.max(0, one ?? 0) * 1_000));
  return Date.parse(taint.timeAdded ?? '') + (seconds.length === 0 ? 0 : borneForMs);
}
