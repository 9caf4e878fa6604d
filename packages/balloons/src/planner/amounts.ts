import {
  formatQuantity,
  milli,
  milliQuantity,
  parseQuantity,
  quantity,
  type ResourceAmounts,
  wholeUnits,
} from '@slipway/kube';

/**
 * The two resources of a pod that can be resized in place (KEP-1287): `cpu` in
 * thousandths of a core, `memory` in bytes. Whole numbers, never floats.
 */
export interface Amounts {
  readonly cpu: bigint;
  readonly memory: bigint;
}

/** The names, in the order in which they are printed and checked. */
export const resources = ['cpu', 'memory'] as const;
export type ResourceName = (typeof resources)[number];

/** Amounts as API objects write them; an absent amount is 0. */
export interface AmountsText {
  readonly cpu?: string | number;
  readonly memory?: string | number;
}

export const nothing: Amounts = { cpu: 0n, memory: 0n };

/** Reads amounts; fractions of a thousandth of a core or of a byte round up. @throws QuantityError */
export function parseAmounts(text: AmountsText | undefined): Amounts {
  return {
    cpu: milli(parseQuantity(text?.cpu ?? '0')),
    memory: wholeUnits(parseQuantity(text?.memory ?? '0')),
  };
}

/** The cpu and memory among all the amounts of a pod or node. */
export function amountsOf(all: ResourceAmounts): Amounts {
  return {
    cpu: all.cpu ? milli(all.cpu) : 0n,
    memory: all.memory ? wholeUnits(all.memory) : 0n,
  };
}

/** Canonical quantities: `4`, `3750m`; `16Gi`. */
export function formatAmounts(amounts: Amounts): { readonly cpu: string; readonly memory: string } {
  return { cpu: formatCpu(amounts.cpu), memory: formatMemory(amounts.memory) };
}

/** `3750m` */
export function formatCpu(milliCores: bigint): string {
  return formatQuantity(milliQuantity(milliCores));
}

/** `15Gi` */
export function formatMemory(bytes: bigint): string {
  return formatQuantity(quantity(bytes, 'BinarySI'));
}

/** Computes an amount for each resource. */
export function perResource(answer: (resource: ResourceName) => bigint): Amounts {
  return { cpu: answer('cpu'), memory: answer('memory') };
}

export function plus(a: Amounts, b: Amounts): Amounts {
  return perResource((resource) => a[resource] + b[resource]);
}

export function minus(a: Amounts, b: Amounts): Amounts {
  return perResource((resource) => a[resource] - b[resource]);
}

export function sum(all: Iterable<Amounts>): Amounts {
  let total = nothing;
  for (const amounts of all) total = plus(total, amounts);
  return total;
}

export function sameAmounts(a: Amounts, b: Amounts): boolean {
  return resources.every((resource) => a[resource] === b[resource]);
}

/** Whether `a` is at most `b` in both. */
export function within(a: Amounts, b: Amounts): boolean {
  return resources.every((resource) => a[resource] <= b[resource]);
}

/** The multiple of `step` at or above `amount`, which is not negative. */
export function roundUp(amount: bigint, step: bigint): bigint {
  return ((amount + step - 1n) / step) * step;
}

/** The multiple of `step` at or below `amount`; 0 when that is negative. */
export function roundDown(amount: bigint, step: bigint): bigint {
  return amount <= 0n ? 0n : (amount / step) * step;
}
