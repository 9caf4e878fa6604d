import type { DeviceAttribute } from '@slipway/kube-objects/kinds/api/devices';
import type { DeviceConstraint } from '@slipway/kube-objects/kinds/api/resource-claims';
import type { ChosenDevice } from './chosen-device.js';

/** Whether a device may join those that were chosen for the same claim. */
export function fulfils(constraint: DeviceConstraint, joining: ChosenDevice, chosen: readonly ChosenDevice[]): boolean {
  if (!concerns(constraint, joining)) return true;
  const name = constraint.matchAttribute ?? constraint.distinctAttribute ?? '';
  const value = attributeOf(joining, name);
  if (value === undefined) return false;
  const others = chosen.filter((other) => concerns(constraint, other)).map((other) => attributeOf(other, name));
  return constraint.matchAttribute === undefined ? !others.includes(value) : others.every((other) => other === value);
}

/** A request with choices may be named alone, or with one of them: `gpu` or `gpu/large`. */
function concerns({ requests = [] }: DeviceConstraint, { request }: ChosenDevice): boolean {
  return requests.length === 0 || requests.includes(request) || requests.includes(request.split('/')[0] ?? '');
}

/** The value of an attribute, which may be published without the domain of the driver, in a form to be compared. */
function attributeOf({ device, driver }: ChosenDevice, name: string): string | undefined {
  const { attributes = {} } = device;
  const short = name.startsWith(`${driver}/`) ? name.slice(driver.length + 1) : name;
  const attribute: DeviceAttribute | undefined = attributes[name] ?? attributes[short];
  return attribute && JSON.stringify(attribute);
}
