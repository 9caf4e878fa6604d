import type { Resumable } from '@slipway/api-machinery/event-loop/resumable';
import { canOwn, foregroundFinalizer, isHeldBy, type OwnerGraph } from './owner-graph.js';

/** References followed between two steps of the work. */
const perStep = 500;

/**
 * Decides whether an owner that is deleted in the foreground may go: no dependent blocks it any more, or all that it
 * waits for, directly and indirectly, waits for it in turn.
 *
 * Objects that block each other in a circle, and are all deleted in the foreground, would otherwise stay forever. The
 * first one to go opens the circle. A dependent outside the circle still holds it: whether it is not deleted yet, or
 * another finalizer keeps it.
 */
export function* mayFinishForeground(graph: OwnerGraph, uid: string): Resumable<boolean> {
  const seen = new Set<string>();
  const open = [uid];
  let [isOnCircle, isBlocked, followed] = [false, false, 0];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const owner = graph.get(next)?.object;
    for (const blocker of graph.blockersOf(next)) {
      const node = graph.get(blocker);
      if (owner && node && !canOwn(owner, node.object)) continue;
      if (!node || !isHeldBy(node.object, foregroundFinalizer)) return false;
      isBlocked = true;
      isOnCircle ||= blocker === uid;
      if (!seen.has(blocker)) open.push(blocker);
      seen.add(blocker);
      if (++followed % perStep === 0) yield;
    }
  }
  return isOnCircle || !isBlocked;
}
