import type { NodeSize, ResizeResult } from '../api/node-size.js';
import { type Amounts, parseAmounts } from '../planner/amounts.js';
import { isOfGeneration } from '../ticket/ticket-id.js';

const reached: ReadonlySet<ResizeResult> = new Set<ResizeResult>(['Succeeded', 'Partial', 'NoChange']);

/** Whether the node has come to the size that its spec asks for, or as close to it as pods allowed, at some time. */
export function hasReachedSpec({ metadata, status }: NodeSize): boolean {
  const { generation = 0 } = metadata;
  return (status?.history ?? []).some(({ id, result }) => isOfGeneration(id, generation) && reached.has(result));
}

/**
 * Returns what the balloon had when a spec of this node last had a result: a balloon that was created since then may
 * have been created with its size. `smallest` where no spec has had a result, since nothing was hidden then.
 */
export function balloonBefore({ status }: NodeSize, smallest: Amounts): Amounts {
  const last = status?.lastResize;
  return last ? parseAmounts(reached.has(last.result) ? last.to : last.from) : smallest;
}
