import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import { isCritical } from '../pods/critical-pod.js';

/** A pod that runs, with what it asks for and uses of memory. */
export interface MemoryUse {
  readonly pod: Pod;
  readonly requestedBytes: number;
  readonly usedBytes: number;
}

/**
 * The pods of a node that is short of memory, in the order in which they have to go: first those that use more than they
 * asked for, then by priority, then those that use most beyond what they asked for. Critical pods stay.
 */
export function evictionOrder<T extends MemoryUse>(uses: readonly T[]): readonly T[] {
  const rank = ({ pod, usedBytes, requestedBytes }: T) => [
    usedBytes > requestedBytes ? 0 : 1,
    pod.spec.priority ?? 0,
    requestedBytes - usedBytes,
  ];
  return uses.filter(({ pod }) => !isCritical(pod)).sort((a, b) => compare(rank(a), rank(b)));
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}
