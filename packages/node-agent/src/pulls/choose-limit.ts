import { type Labels, matchesSelector, SelectorError } from '@slipway/kube';
import type { PullLimit } from '../api/pull-limit.js';

/**
 * Chooses the PullLimit that counts for a node with these labels: the highest priority, then the oldest, then the first
 * name. A selector that is not valid selects nothing.
 */
export function chooseLimit(limits: readonly PullLimit[], labels: Labels): PullLimit | undefined {
  return limits.filter((limit) => selects(limit, labels)).toSorted(byPrecedence)[0];
}

function selects({ spec }: PullLimit, labels: Labels): boolean {
  try {
    return matchesSelector(spec.nodeSelector ?? {}, labels);
  } catch (error) {
    if (error instanceof SelectorError) return false;
    throw error;
  }
}

function byPrecedence(a: PullLimit, b: PullLimit): number {
  return (
    (b.spec.priority ?? 0) - (a.spec.priority ?? 0) ||
    createdMs(a) - createdMs(b) ||
    ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1)
  );
}

function createdMs({ metadata }: PullLimit): number {
  return Date.parse(metadata.creationTimestamp ?? '') || 0;
}
