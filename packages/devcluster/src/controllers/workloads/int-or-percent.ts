import type { IntOrPercent } from '../../kube-objects/kinds/api/workloads.js';

/** How many of `total` a count or share means; a share that is not whole is rounded up. */
export function roundedUp(value: IntOrPercent, total: number): number {
  return Math.ceil(exactly(value, total));
}

/** How many of `total` a count or share means; a share that is not whole is rounded down. */
export function roundedDown(value: IntOrPercent, total: number): number {
  return Math.floor(exactly(value, total));
}

function exactly(value: IntOrPercent, total: number): number {
  if (typeof value === 'number') return value;
  const share = /^(\d+)%$/.exec(value);
  if (!share) throw new RangeError(`neither a count nor a percentage: ${value}`);
  return (Number(share[1]) * total) / 100;
}
