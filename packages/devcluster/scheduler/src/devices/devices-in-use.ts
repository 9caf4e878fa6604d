import { addQuantity, parseQuantity, type Quantity } from '@slipway/kube';
import type { Allocation } from '@slipway/kube-objects/kinds/api/resource-claims';
import { deviceId } from './device-id.js';

/** Quantities by capacity or counter. */
export type Quantities = ReadonlyMap<string, Quantity>;

/** The devices that claims have. */
export interface DevicesInUse {
  /** Ids of devices that one claim has alone. */
  readonly exclusive: ReadonlySet<string>;
  /** What claims take of devices that they share, by the id of the device. */
  readonly shared: ReadonlyMap<string, Quantities>;
}

/** Sums up allocations. A device that is used for administration only counts as free. */
export function devicesInUse(allocations: Iterable<Allocation>): DevicesInUse {
  const exclusive = new Set<string>();
  const shared = new Map<string, Quantities>();
  for (const { devices } of allocations) {
    for (const result of devices?.results ?? []) {
      if (result.adminAccess) continue;
      const id = deviceId(result);
      if (result.shareID === undefined) exclusive.add(id);
      else shared.set(id, sumOf(shared.get(id), quantities(result.consumedCapacity)));
    }
  }
  return { exclusive, shared };
}

/** @throws QuantityError when one cannot be read */
export function quantities(texts: Readonly<Record<string, string>> = {}): Quantities {
  return new Map(Object.entries(texts).map(([name, text]) => [name, parseQuantity(text)]));
}

export function sumOf(some: Quantities = new Map(), more: Quantities = new Map()): Quantities {
  const sum = new Map(some);
  for (const [name, quantity] of more) {
    const before = sum.get(name);
    sum.set(name, before ? addQuantity(before, quantity) : quantity);
  }
  return sum;
}
