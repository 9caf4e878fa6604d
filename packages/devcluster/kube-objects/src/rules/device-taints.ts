import type { DeviceTaint, DeviceTaintRule, DeviceToleration, ResourceSlice } from '../kinds/api/devices.js';

/** Whether a toleration is for the taint of a device. */
export function toleratesDeviceTaint(
  { key, operator = 'Equal', value = '', effect }: DeviceToleration,
  taint: DeviceTaint,
): boolean {
  if (effect && effect !== taint.effect) return false;
  if (key && key !== taint.key) return false;
  return operator === 'Exists' || value === (taint.value ?? '');
}

/** Whether a rule taints the device of a driver and pool. Without a selector it taints none. */
export function taintsDevice({ spec }: DeviceTaintRule, driver: string, pool: string, device: string): boolean {
  const { deviceSelector: selector } = spec;
  if (!selector) return false;
  const isMeant = (named: string | undefined, name: string) => named === undefined || named === name;
  return isMeant(selector.driver, driver) && isMeant(selector.pool, pool) && isMeant(selector.device, device);
}

/** Slices whose devices have the taints that rules add to theirs. */
export function withTaintsOf(
  rules: readonly DeviceTaintRule[],
  slices: readonly ResourceSlice[],
): readonly ResourceSlice[] {
  if (rules.length === 0) return slices;
  return slices.map((slice) => {
    const { driver, pool, devices = [] } = slice.spec;
    const tainted = devices.map((device) => {
      const added = rules.filter((rule) => taintsDevice(rule, driver, pool.name, device.name));
      return added.length === 0 ? device : { ...device, taints: [...(device.taints ?? []), ...added.map(taintOf)] };
    });
    return { ...slice, spec: { ...slice.spec, devices: tainted } };
  });
}

function taintOf({ spec }: DeviceTaintRule): DeviceTaint {
  return spec.taint;
}
