import {
  Controller,
  isNamespaceTerminating,
  type KubeObject,
  type ObjectRef,
  type Reconciler,
  refOf,
  retryLostRaces,
} from '@slipway/kube';
import { type EndpointSlice, endpointSlices, endpoints, services } from '@slipway/kube-objects/kinds/api/services';
import { RecordedClient } from '../workloads/recorded-client.js';
import type { WorkloadDeps } from '../workloads/workload-deps.js';
import { carryOut, keyOf, refsOf } from './carry-out-plan.js';
import { isMirror, isMirrored, planMirrors } from './mirror-slices.js';

/** Says in EndpointSlices what a user wrote into Endpoints, for Services without selector. */
export function endpointSliceMirroringController(deps: WorkloadDeps): Controller {
  return new Controller({
    ...deps,
    name: 'endpointslicemirroring-controller',
    for: endpoints,
    watches: [
      { of: services, map: (service) => [refOf(service)] },
      { of: endpointSlices, map: mirroredRefs },
    ],
    workers: 5,
    reconcile: retryLostRaces(mirroringReconciler(deps)),
  });
}

/** Observes one Endpoints object with its Service and its mirrors, and changes the mirrors that differ. */
function mirroringReconciler({ kube, informers }: Omit<WorkloadDeps, 'log'>): Reconciler {
  const sliceInformer = informers.informer(endpointSlices);
  sliceInformer.addIndex(byEndpoints, mirroredKeys);
  const endpointsLister = informers.informer(endpoints).lister;
  const serviceLister = informers.informer(services).lister;
  const slices = new RecordedClient({ kube, informers }, endpointSlices);

  return async (ref, { signal }) => {
    const found = endpointsLister.get(ref);
    const mirrors = slices
      .over(sliceInformer.lister.byIndex(byEndpoints, keyOf(ref)), (slice) => mirroredKeys(slice).includes(keyOf(ref)))
      .filter((slice) => !slice.metadata.deletionTimestamp);
    const isWanted = found && !found.metadata.deletionTimestamp && isMirrored(found, serviceLister.get(ref));
    const plan = isWanted ? planMirrors(found, mirrors) : { create: [], update: [], remove: mirrors };
    try {
      await carryOut(plan, slices, signal);
    } catch (error) {
      if (!isNamespaceTerminating(error)) throw error;
    }
  };
}

const byEndpoints = 'mirrors of endpoints';

function mirroredRefs(slice: KubeObject): readonly ObjectRef[] {
  return refsOf(slice, isMirror);
}

/** One function for all informers: an index may be added again, but only by the same function. */
function mirroredKeys(slice: EndpointSlice): readonly string[] {
  return mirroredRefs(slice).map(keyOf);
}
