import { Controller, isNamespaceTerminating, type Reconciler, refOf, retryLostRaces } from '@slipway/kube';
import { endpointSlices, endpoints, services } from '@slipway/kube-objects/kinds/api/services';
import type { WorkloadDeps } from '../workloads/workload-deps.js';
import { isMirror, isMirrored, planMirrors } from './mirror-slices.js';
import { keptSlices, OwnSlices } from './own-slices.js';

const mirrors = keptSlices('mirrors of endpoints', isMirror);

/** Says in EndpointSlices what a user wrote into Endpoints, for Services without selector. */
export function endpointSliceMirroringController(deps: WorkloadDeps): Controller {
  return new Controller({
    ...deps,
    name: 'endpointslicemirroring-controller',
    for: endpoints,
    watches: [
      { of: services, map: (service) => [refOf(service)] },
      { of: endpointSlices, map: mirrors.refs },
    ],
    workers: 5,
    reconcile: retryLostRaces(mirroringReconciler(deps)),
  });
}

/** Observes one Endpoints object with its Service and its mirrors, and changes the mirrors that differ. */
function mirroringReconciler({ kube, informers }: Omit<WorkloadDeps, 'log'>): Reconciler {
  const endpointsLister = informers.informer(endpoints).lister;
  const serviceLister = informers.informer(services).lister;
  const slices = new OwnSlices({ kube, informers }, mirrors);

  return async (ref, { signal }) => {
    const found = endpointsLister.get(ref);
    const kept = slices.of(ref);
    const isWanted = found && !found.metadata.deletionTimestamp && isMirrored(found, serviceLister.get(ref));
    const plan = isWanted ? planMirrors(found, kept) : { create: [], update: [], remove: kept };
    try {
      await slices.carryOut(plan, signal);
    } catch (error) {
      if (!isNamespaceTerminating(error)) throw error;
    }
  };
}
