import {
  Controller,
  errorMessage,
  isNamespaceTerminating,
  type KubeObject,
  type ObjectRef,
  type Reconciler,
  refOf,
  retryLostRaces,
} from '@slipway/kube';
import { nodes } from '@slipway/kube-objects/kinds/api/nodes';
import { pods } from '@slipway/kube-objects/kinds/api/pods';
import { type EndpointSlice, endpointSlices, type Service, services } from '@slipway/kube-objects/kinds/api/services';
import { RecordedClient } from '../workloads/recorded-client.js';
import type { WorkloadDeps } from '../workloads/workload-deps.js';
import { backendsOf, hasOwnEndpoints } from './backends.js';
import { carryOut, keyOf, refsOf } from './carry-out-plan.js';
import { isOurs, planSlices } from './plan-slices.js';
import { servicePods } from './service-pods.js';

/** Says in EndpointSlices which pods are behind each Service. */
export function endpointSliceController(deps: WorkloadDeps): Controller {
  return new Controller({
    ...deps,
    name: 'endpoint-slice-controller',
    for: services,
    watches: [
      { of: pods, map: servicePods(deps.informers).servicesOf },
      { of: endpointSlices, map: serviceRefs },
      // Nothing follows from a node; but its zone must be known before a slice is written.
      { of: nodes, map: () => [] },
    ],
    workers: 5,
    reconcile: retryLostRaces(endpointSliceReconciler(deps)),
  });
}

/** Observes one Service with its pods and slices, and changes the slices that are not as they should be. */
function endpointSliceReconciler({ kube, informers }: Omit<WorkloadDeps, 'log'>): Reconciler {
  const sliceInformer = informers.informer(endpointSlices);
  sliceInformer.addIndex(byService, serviceKeys);
  const serviceLister = informers.informer(services).lister;
  const nodeLister = informers.informer(nodes).lister;
  const slices = new RecordedClient({ kube, informers }, endpointSlices);
  const { podsOf } = servicePods(informers);
  const slicesOf = (service: Service) =>
    slices
      .over(sliceInformer.lister.byIndex(byService, keyOf(refOf(service))), (slice) =>
        serviceKeys(slice).includes(keyOf(refOf(service))),
      )
      .filter((slice) => !slice.metadata.deletionTimestamp);
  const zoneOf = (name: string) => nodeLister.get({ name })?.metadata.labels?.['topology.kubernetes.io/zone'];

  return async (ref, { signal, events }) => {
    const service = serviceLister.get(ref);
    // Slices of a service that is gone go with it: they are its dependents.
    if (!service || service.metadata.deletionTimestamp || !hasOwnEndpoints(service)) return;
    const plan = planSlices(service, backendsOf(service, podsOf(service)), slicesOf(service), zoneOf);
    try {
      await carryOut(plan, slices, signal);
    } catch (error) {
      if (isNamespaceTerminating(error)) return;
      const why = errorMessage(error);
      const message = `Error updating Endpoint Slices for Service ${ref.namespace}/${ref.name}: ${why}`;
      events.event(service, 'Warning', 'FailedToUpdateEndpointSlices', message);
      throw error;
    }
  };
}

const byService = 'slices of a service';

function serviceRefs(slice: KubeObject): readonly ObjectRef[] {
  return refsOf(slice, isOurs);
}

/** One function for all informers: an index may be added again, but only by the same function. */
function serviceKeys(slice: EndpointSlice): readonly string[] {
  return serviceRefs(slice).map(keyOf);
}
