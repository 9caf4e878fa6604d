import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import { type Allocation, grows } from '../allocation/allocation.js';

/** A resize that a kubelet has not granted yet. */
export interface PendingResize {
  /** As it asks to be. */
  readonly pod: Pod;
  readonly allocation: Allocation;
  /** Since when it is pending, in milliseconds since the epoch; undefined before the first look at it. */
  readonly sinceMs: number | undefined;
}

/**
 * The order in which a kubelet looks at resizes: first those that ask for no more than they have, then by priority,
 * then guaranteed pods before others, then those that have waited longest.
 */
export function resizeOrder<T extends PendingResize>(pending: readonly T[]): readonly T[] {
  const ranked = pending.map((each) => ({ each, rank: rankOf(each) }));
  ranked.sort((a, b) => compareRanks(a.rank, b.rank));
  return ranked.map(({ each }) => each);
}

function rankOf({ pod, allocation, sinceMs = Number.POSITIVE_INFINITY }: PendingResize): readonly number[] {
  const { priority = 0 } = pod.spec;
  const isGuaranteed = pod.status?.qosClass === 'Guaranteed';
  if (!grows(pod, allocation)) return [0];
  return [1, -priority, isGuaranteed ? 0 : 1, sinceMs];
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((rank, index) => rank !== b[index]);
  return at < 0 ? 0 : (a[at] ?? 0) < (b[at] ?? 0) ? -1 : 1;
}
