import {
  Controller,
  hasReason,
  type Kube,
  type Reconciler,
  retryLostRaces,
  StatusError,
  sameJson,
} from '@slipway/kube';
import { type Namespace, namespaces } from '@slipway/kube-objects/kinds/api/core';
import type { WorkloadDeps } from '../workloads/workload-deps.js';
import { drainable, drainConditions, drainNamespace } from './drain-namespace.js';

/** The finalizer, in the spec, that keeps a namespace until it is empty. */
const finalizer = 'kubernetes';
const firstLookMs = 50;
const longestLookMs = 5_000;

/** Empties namespaces that are being deleted and then lets them go. */
export function namespaceController(deps: WorkloadDeps): Controller {
  return new Controller({
    ...deps,
    name: 'namespace-controller',
    for: namespaces,
    workers: 5,
    reconcile: retryLostRaces(namespaceReconciler(deps)),
  });
}

/**
 * Asks discovery each time what there may be in the namespace, custom resources included:
 * one that was just installed counts. Looks again soon, then less often, while
 * something stays: pods that stop, objects whose finalizers others remove.
 */
function namespaceReconciler({ kube, informers }: Omit<WorkloadDeps, 'log'>): Reconciler {
  const informer = informers.informer(namespaces);
  const looks = new Map<string, number>();
  return async (ref, { signal, now }) => {
    const namespace = informer.lister.get(ref);
    if (!namespace?.metadata.deletionTimestamp || !namespace.spec?.finalizers?.includes(finalizer)) {
      looks.delete(ref.name);
      return;
    }
    const { resources } = await kube.discover(signal);
    const remains = await drainNamespace(kube, ref.name, drainable(resources), signal);
    if (remains.counts.size === 0 && remains.failures.length === 0) {
      looks.delete(ref.name);
      await finalize(kube, namespace, signal);
      return;
    }
    const conditions = drainConditions(namespace, remains, now());
    if (!sameJson(conditions, namespace.status?.conditions)) {
      const { resourceVersion } = namespace.metadata;
      await kube
        .resource(namespaces)
        .mergeStatus(ref, { metadata: { resourceVersion }, status: { conditions } }, { signal });
    }
    const look = looks.get(ref.name) ?? 0;
    looks.set(ref.name, look + 1);
    return { requeueAfterMs: Math.min(longestLookMs, firstLookMs * 2 ** Math.min(look, 10)) };
  };
}

/** Takes our finalizer away: the API server then removes the namespace, unless others hold it. */
async function finalize(kube: Kube, namespace: Namespace, signal: AbortSignal): Promise<void> {
  const { name = '' } = namespace.metadata;
  const finalizers = namespace.spec?.finalizers?.filter((each) => each !== finalizer) ?? [];
  const { status, body } = await kube.transport.request({
    method: 'PUT',
    path: `/api/v1/namespaces/${encodeURIComponent(name)}/finalize`,
    body: { ...namespace, spec: { ...namespace.spec, finalizers } },
    signal,
  });
  if (status < 300) return;
  const refused = new StatusError(body as StatusError['status']);
  if (!hasReason(refused, 'NotFound')) throw refused;
}
