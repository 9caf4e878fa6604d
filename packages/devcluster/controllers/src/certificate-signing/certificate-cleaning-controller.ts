import { Controller, type Reconciler, retryLostRaces } from '@slipway/kube';
import { certificateSigningRequests } from '@slipway/kube-objects/kinds/api/certificates';
import type { WorkloadDeps } from '../workloads/workload-deps.js';
import { requestEnd } from './request-end.js';

const hourMs = 3_600_000;

/**
 * Removes requests that are no longer needed: an hour after the certificate was issued, or the request was denied or
 * failed; a day after it was made, if no answer; and when the certificate has expired.
 *
 * Source: https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/
 */
export function certificateCleaningController(deps: WorkloadDeps): Controller {
  return new Controller({
    ...deps,
    name: 'certificate-cleaner',
    for: certificateSigningRequests,
    reconcile: retryLostRaces(certificateCleaningReconciler(deps)),
  });
}

function certificateCleaningReconciler({ kube, informers }: Omit<WorkloadDeps, 'log'>): Reconciler {
  const { lister } = informers.informer(certificateSigningRequests);
  return async (ref, { signal, now }) => {
    const request = lister.get(ref);
    const endMs = request && requestEnd(request);
    if (!request || endMs === undefined) return undefined;
    const leftMs = endMs - now();
    // Clocks may be set; an hour late is early enough.
    if (leftMs >= 0) return { requeueAfterMs: Math.min(leftMs + 1, hourMs) };
    const { uid = '', resourceVersion = '' } = request.metadata;
    await kube.resource(certificateSigningRequests).delete(ref, { preconditions: { uid, resourceVersion }, signal });
    return undefined;
  };
}
