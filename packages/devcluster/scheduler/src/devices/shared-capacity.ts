import { compareQuantity, parseQuantity, type Quantity, quantity, zeroQuantity } from '@slipway/kube';
import type { Device, DeviceCapacity } from '@slipway/kube-objects/kinds/api/devices';
import type { Quantities } from './devices-in-use.js';

/**
 * Returns what a request takes of each capacity of a device; undefined when the device cannot give it. A device that is
 * not shared is given as a whole, but has to be large enough.
 * @param requested quantities by capacity, as texts
 * @param taken what others take of the device
 */
export function takenCapacity(
  { capacity = {} }: Device,
  requested: Readonly<Record<string, string>>,
  taken: Quantities,
): Quantities | undefined {
  if (Object.keys(requested).some((name) => !(name in capacity))) return undefined;
  const takes = new Map<string, Quantity>();
  for (const [name, offered] of Object.entries(capacity)) {
    const amount = amountOf(offered, requested[name]);
    const sum = amount.nano + (taken.get(name) ?? zeroQuantity).nano;
    if (!isAllowed(amount, offered) || sum > parseQuantity(offered.value).nano) return undefined;
    takes.set(name, amount);
  }
  return takes;
}

/** What is taken for a request, rounded up to an amount that the policy of the capacity allows. */
function amountOf({ value, requestPolicy }: DeviceCapacity, requested: string | undefined): Quantity {
  if (requested === undefined) return parseQuantity(requestPolicy?.default ?? value);
  const wanted = parseQuantity(requested);
  const { validRange, validValues } = requestPolicy ?? {};
  if (validValues) return validValues.map(parseQuantity).find((valid) => compareQuantity(wanted, valid) <= 0) ?? wanted;
  if (!validRange) return wanted;
  const least = parseQuantity(validRange.min);
  if (compareQuantity(wanted, least) < 0) return least;
  if (validRange.step === undefined) return wanted;
  const step = parseQuantity(validRange.step);
  const steps = (wanted.nano - least.nano + step.nano - 1n) / step.nano;
  return { ...quantity(0n, step.format), nano: least.nano + steps * step.nano };
}

function isAllowed(amount: Quantity, { requestPolicy }: DeviceCapacity): boolean {
  const { default: usual, validRange, validValues } = requestPolicy ?? {};
  if (usual !== undefined && compareQuantity(amount, parseQuantity(usual)) === 0) return true;
  if (validRange?.max !== undefined) return compareQuantity(amount, parseQuantity(validRange.max)) <= 0;
  return !validValues || validValues.some((valid) => compareQuantity(amount, parseQuantity(valid)) === 0);
}
