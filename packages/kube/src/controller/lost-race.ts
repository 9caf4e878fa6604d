import type { ObjectRef } from '../transport/objects.js';
import { hasReason } from '../transport/status.js';
import type { Reconciler } from './controller.js';
import { isNamespaceTerminating } from './is-terminating.js';

/** Long enough for the event of the write that won to arrive. */
const retryMs = 20;

/**
 * Makes a reconciler that lost a race look again shortly, instead of
 * reporting a failure: that its object was changed or deleted while it worked is
 * daily business on a cluster with several writers. In a namespace that goes away
 * there is nothing left to do: its objects are deleted next.
 */
export function retryLostRaces(reconcile: Reconciler): Reconciler {
  return async (ref, context) => {
    try {
      return await reconcile(ref, context);
    } catch (error) {
      if (hasReason(error, 'Conflict') || isGone(error, ref)) return { requeueAfterMs: retryMs };
      if (isNamespaceTerminating(error)) return undefined;
      throw error;
    }
  };
}

function isGone(error: unknown, { name }: ObjectRef): boolean {
  return hasReason(error, 'NotFound') && error.status.details?.name === name;
}
