import type {
  DeviceTaint,
  DeviceTaintRule,
  DeviceToleration,
  ResourceSlice,
} from '@slipway/kube-objects/kinds/api/devices';
import type { AllocatedDevice, ResourceClaim } from '@slipway/kube-objects/kinds/api/resource-claims';
import { taintsDevice, toleratesDeviceTaint } from '@slipway/kube-objects/rules/device-taints';

/** When the pods of a claim have to go, and what has to do with it. */
export interface Eviction {
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  /** The rules whose taints the claim does not tolerate for good. */
  readonly rules: readonly DeviceTaintRule[];
}

/**
 * Returns the eviction that taints of the devices of a claim demand; undefined if its pods may stay.
 * @param slicesOf all slices of the pool of a device, in every generation
 * @param rules that taint devices beside their slices
 */
export function evictionOf(
  { status }: ResourceClaim,
  slicesOf: (device: AllocatedDevice) => readonly ResourceSlice[],
  rules: readonly DeviceTaintRule[],
): Eviction | undefined {
  const reasons = (status?.allocation?.devices?.results ?? []).flatMap((allocated) => {
    const { driver, pool, device, tolerations = [] } = allocated;
    const own = newestOf(slicesOf(allocated)).flatMap(({ spec }) => spec.devices ?? []);
    const taints = own.find(({ name }) => name === device)?.taints ?? [];
    const ofRules = rules.filter((rule) => taintsDevice(rule, driver, pool, device));
    return [
      ...taints.map((taint) => ({ atMs: unbearableFrom(taint, tolerations), rule: undefined })),
      ...ofRules.map((rule) => ({ atMs: unbearableFrom(rule.spec.taint, tolerations), rule })),
    ];
  });
  const unbearable = reasons.flatMap(({ atMs, rule }) => (atMs === undefined ? [] : [{ atMs, rule }]));
  if (unbearable.length === 0) return undefined;
  return {
    atMs: Math.min(...unbearable.map(({ atMs }) => atMs)),
    rules: [...new Set(unbearable.flatMap(({ rule }) => rule ?? []))],
  };
}

/** Slices of the newest generation of their pool. */
export function newestOf(slices: readonly ResourceSlice[]): readonly ResourceSlice[] {
  const newest = Math.max(...slices.map(generationOf));
  return slices.filter((slice) => generationOf(slice) === newest);
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
