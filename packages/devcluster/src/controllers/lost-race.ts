import { hasReason, type Reconciler } from '@slipway/kube';

/** Long enough for the event of the write that won to arrive. */
const retryMs = 20;

/**
 * Makes a reconciler that somebody overtook look again shortly, instead of
 * reporting a failure: on a cluster with several writers that is daily business.
 */
export function retryLostRaces(reconcile: Reconciler): Reconciler {
  return async (ref, context) => {
    try {
      return await reconcile(ref, context);
    } catch (error) {
      if (hasReason(error, 'Conflict')) return { requeueAfterMs: retryMs };
      throw error;
    }
  };
}
