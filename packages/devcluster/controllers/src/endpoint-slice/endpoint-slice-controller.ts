import { Controller, errorMessage, isNamespaceTerminating, type Reconciler, retryLostRaces } from '@slipway/kube';
import { nodes } from '@slipway/kube-objects/kinds/api/nodes';
import { pods } from '@slipway/kube-objects/kinds/api/pods';
import { endpointSlices, services } from '@slipway/kube-objects/kinds/api/services';
import type { WorkloadDeps } from '../workloads/workload-deps.js';
import { backendsOf, hasOwnEndpoints } from './backends.js';
import { keptSlices, OwnSlices } from './own-slices.js';
import { isOurs, planSlices } from './plan-slices.js';
import { servicePods } from './service-pods.js';

const slicesOfServices = keptSlices('slices of a service', isOurs);

/** Says in EndpointSlices which pods are behind each Service. */
export function endpointSliceController(deps: WorkloadDeps): Controller {
  return new Controller({
    ...deps,
    name: 'endpoint-slice-controller',
    for: services,
    watches: [
      { of: pods, map: servicePods(deps.informers).servicesOf },
      { of: endpointSlices, map: slicesOfServices.refs },
      // Nothing follows from a node; but its zone must be known before a slice is written.
      { of: nodes, map: () => [] },
    ],
    workers: 5,
    reconcile: retryLostRaces(endpointSliceReconciler(deps)),
  });
}

/** Observes one Service with its pods and slices, and changes the slices that are not as they should be. */
function endpointSliceReconciler({ kube, informers }: Omit<WorkloadDeps, 'log'>): Reconciler {
  const serviceLister = informers.informer(services).lister;
  const nodeLister = informers.informer(nodes).lister;
  const slices = new OwnSlices({ kube, informers }, slicesOfServices);
  const { podsOf } = servicePods(informers);
  const zoneOf = (name: string) => nodeLister.get({ name })?.metadata.labels?.['topology.kubernetes.io/zone'];

  return async (ref, { signal, events }) => {
    const service = serviceLister.get(ref);
    // Slices of a service that is gone go with it: they are its dependents.
    if (!service || service.metadata.deletionTimestamp || !hasOwnEndpoints(service)) return;
    const plan = planSlices(service, backendsOf(service, podsOf(service)), slices.of(ref), zoneOf);
    try {
      await slices.carryOut(plan, signal);
    } catch (error) {
      if (isNamespaceTerminating(error)) return;
      const why = errorMessage(error);
      const message = `Error updating Endpoint Slices for Service ${ref.namespace}/${ref.name}: ${why}`;
      events.event(service, 'Warning', 'FailedToUpdateEndpointSlices', message);
      throw error;
    }
  };
}
