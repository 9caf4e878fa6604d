import {
  Controller,
  errorMessage,
  isNamespaceTerminating,
  type Reconciler,
  retryLostRaces,
  sameJson,
} from '@slipway/kube';
import { pods } from '@slipway/kube-objects/kinds/api/pods';
import { type Endpoints, endpoints, services } from '@slipway/kube-objects/kinds/api/services';
import { RecordedClient } from '../workloads/recorded-client.js';
import type { WorkloadDeps } from '../workloads/workload-deps.js';
import { backendsOf, hasOwnEndpoints, labelsFor } from './backends.js';
import { servicePods } from './service-pods.js';
import { subsetsOf } from './subsets.js';

const manager = { 'endpoints.kubernetes.io/managed-by': 'endpoint-controller' };

/** Says in Endpoints of core/v1, for those who still read them, which pods are behind each Service. */
export function endpointsController(deps: WorkloadDeps): Controller {
  return new Controller({
    ...deps,
    name: 'endpoint-controller',
    for: services,
    watches: [
      { of: pods, map: servicePods(deps.informers).servicesOf },
      { of: endpoints, map: ({ metadata }) => [{ name: metadata.name ?? '', namespace: metadata.namespace }] },
    ],
    workers: 5,
    reconcile: retryLostRaces(endpointsReconciler(deps)),
  });
}

/** Observes one Service with its pods, and writes its Endpoints when they are not as they should be. */
function endpointsReconciler({ kube, informers }: Omit<WorkloadDeps, 'log'>): Reconciler {
  const serviceLister = informers.informer(services).lister;
  const all = new RecordedClient({ kube, informers }, endpoints);
  const { podsOf } = servicePods(informers);

  return async (ref, { signal, events }) => {
    const service = serviceLister.get(ref);
    const found = all.get(ref);
    if (!service || service.metadata.deletionTimestamp) return found && remove(found, signal);
    if (!hasOwnEndpoints(service)) return;
    const subsets = subsetsOf(service, backendsOf(service, podsOf(service)));
    const labels = labelsFor(service, manager);
    if (found && sameJson([found.subsets ?? [], found.metadata.labels], [subsets, labels])) return;
    const metadata = { ...(found?.metadata ?? { name: ref.name, namespace: ref.namespace ?? '' }), labels };
    const wanted: Endpoints = { apiVersion: 'v1', kind: 'Endpoints', metadata, ...(subsets.length > 0 && { subsets }) };
    try {
      await (found ? all.replace(wanted, signal) : all.create(wanted, signal));
    } catch (error) {
      if (isNamespaceTerminating(error)) return;
      const why = errorMessage(error);
      const message = `Failed to update endpoint ${ref.namespace}/${ref.name}: ${why}`;
      events.event(found ?? service, 'Warning', 'FailedToUpdateEndpoint', message);
      throw error;
    }

    return;
  };

  async function remove(found: Endpoints, signal: AbortSignal): Promise<void> {
    // Those that a user created for a future service are not ours.
    if (!found.metadata.labels?.['endpoints.kubernetes.io/managed-by']) return;
    await all.delete(found, { signal });
  }
}
