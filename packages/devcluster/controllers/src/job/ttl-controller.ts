import { Controller, type Reconciler, retryLostRaces } from '@slipway/kube';
import { type Job, jobs } from '@slipway/kube-objects/kinds/api/jobs';
import type { WorkloadDeps } from '../workloads/workload-deps.js';
import { endedAtMs } from './job-conditions.js';

/** Removes each Job, and with it its pods, when it has been over for as long as it asked for. */
export function ttlController(deps: WorkloadDeps): Controller {
  return new Controller({
    ...deps,
    name: 'ttl-after-finished-controller',
    for: jobs,
    workers: 5,
    reconcile: retryLostRaces(ttlReconciler(deps)),
  });
}

/** Observes one Job: whether its time is over, or when it will be. */
function ttlReconciler({ kube, informers }: Omit<WorkloadDeps, 'log'>): Reconciler {
  const { lister } = informers.informer(jobs);
  return async (ref, { signal, now }) => {
    const job = lister.get(ref);
    const expiresMs = job && !job.metadata.deletionTimestamp ? expiresAtMs(job) : undefined;
    if (!job || expiresMs === undefined) return undefined;
    const leftMs = expiresMs - now();
    if (leftMs > 0) return { requeueAfterMs: leftMs };
    const { uid = '', resourceVersion = '' } = job.metadata;
    await kube.resource(jobs).delete(ref, {
      // What asks for more time by now is left.
      preconditions: { uid, resourceVersion },
      propagationPolicy: 'Foreground',
      signal,
    });
    return undefined;
  };
}

function expiresAtMs(job: Job): number | undefined {
  const { ttlSecondsAfterFinished } = job.spec;
  const endedMs = endedAtMs(job);
  return ttlSecondsAfterFinished === undefined || endedMs === undefined
    ? undefined
    : endedMs + ttlSecondsAfterFinished * 1000;
}
