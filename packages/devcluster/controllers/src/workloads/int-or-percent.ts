import type { IntOrPercent } from '@slipway/kube-objects/kinds/api/workloads';

/** Resolves a count or a percentage of `total`, rounding up. */
export function roundedUp(value: IntOrPercent, total: number): number {
  return Math.ceil(exactly(value, total));
}

/** Resolves a count or a percentage of `total`, rounding down. */
export function roundedDown(value: IntOrPercent, total: number): number {
  return Math.floor(exactly(value, total));
}

function exactly(value: IntOrPercent, total: number): number {
  if (typeof value === 'number') return value;
  const share = /^(\d+)%$/.exec(value);
  if (!share) throw new RangeError(`neither a count nor a percentage: ${value}`);
  return (Number(share[1]) * total) / 100;
}
