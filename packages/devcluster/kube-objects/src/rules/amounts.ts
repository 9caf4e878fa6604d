import { InternPool } from '@slipway/api-machinery/json/intern-pool';
import { effectiveRequests, milli, type ResourceAmounts, resourceAmounts, wholeUnits } from '@slipway/kube';
import type { Pod } from '../kinds/api/pods.js';

/**
 * Amounts of resources by name, in integers: cpu in thousandths, everything else in
 * whole units. Exact up to 2^53, which is 8 PiB of memory.
 */
export type Amounts = ReadonlyMap<string, number>;

/** Returns the resources that a pod takes of a node, including one of `pods`. @throws QuantityError */
export function amountsOfPod(pod: Pod): Amounts {
  return sharedAmounts(new Map([...integers(effectiveRequests(pod)), ['pods', 1]]));
}

const known = new InternPool<Amounts>();

/** The same amounts, once for all who keep them: pods are many, and most ask for what others ask for. */
export function sharedAmounts(amounts: Amounts): Amounts {
  return known.get(JSON.stringify([...amounts]), () => amounts);
}

/** Amounts as a node carries them. @throws QuantityError */
export function amountsOfList(list: Readonly<Record<string, string>> | undefined): Amounts {
  return integers(resourceAmounts(list));
}

/** The sum; neither input is changed. */
export function plus(a: Amounts, b: Amounts): Amounts {
  const sum = new Map(a);
  for (const [name, amount] of b) sum.set(name, (sum.get(name) ?? 0) + amount);
  return sum;
}

/** The difference; what comes to nothing is left out. */
export function minus(a: Amounts, b: Amounts): Amounts {
  const difference = new Map(a);
  for (const [name, amount] of b) {
    const left = (difference.get(name) ?? 0) - amount;
    if (left === 0) difference.delete(name);
    else difference.set(name, left);
  }
  return difference;
}

/** Names of the resources of which `wanted` is more than is left of `available` beside `used`. */
export function shortages(wanted: Amounts, used: Amounts, available: Amounts): readonly string[] {
  const short: string[] = [];
  for (const [name, amount] of wanted) {
    if (amount > 0 && amount > (available.get(name) ?? 0) - (used.get(name) ?? 0)) short.push(name);
  }
  return short;
}

/** Exact amounts as integers. */
export function integers(amounts: ResourceAmounts): Amounts {
  return new Map(
    Object.entries(amounts).map(([name, amount]) => [
      name,
      Number(name === 'cpu' ? milli(amount) : wholeUnits(amount)),
    ]),
  );
}
