import type { DaemonSetStatus } from '@slipway/kube-objects/kinds/api/daemon-sets';
import { isAvailable, isReady, isTerminating, type Pod } from '@slipway/kube-objects/kinds/api/pods';
import { positive } from '../workloads/positive.js';
import { isUpdated } from './daemon-pod.js';
import { type Observed, placesOf } from './plan-daemon-set.js';

/**
 * Computes the status of a DaemonSet, counted in nodes. A node is ready when one of its pods is, and up to date when
 * all are; a pod that is going counts only where it has no successor.
 */
export function daemonSetStatus(observed: Observed, collisionCount: number): DaemonSetStatus {
  const { set, hash, nowMs } = observed;
  const places = placesOf(observed);
  const wanted = places.filter((place) => place.eligibility === 'runs');
  const occupied = wanted.filter(({ pods }) => pods.length > 0).map(({ pods }) => stayingOf(pods));
  const having = (holds: (pod: Pod) => boolean) => occupied.filter((pods) => pods.some(holds)).length;
  const available = having((pod) => isAvailable(pod, set.spec.minReadySeconds ?? 0, nowMs));
  const updated = occupied.filter((pods) => pods.every((pod) => isUpdated(pod, hash))).length;
  return {
    currentNumberScheduled: occupied.length,
    numberMisscheduled: places.filter((place) => place.eligibility !== 'runs' && place.pods.length > 0).length,
    desiredNumberScheduled: wanted.length,
    numberReady: having(isReady),
    observedGeneration: set.metadata.generation ?? 0,
    ...positive('updatedNumberScheduled', updated),
    ...positive('numberAvailable', available),
    ...positive('numberUnavailable', wanted.length - available),
    ...positive('collisionCount', collisionCount),
    ...(set.status?.conditions && { conditions: set.status.conditions }),
  };
}

function stayingOf(pods: readonly Pod[]): readonly Pod[] {
  const staying = pods.filter((pod) => !isTerminating(pod));
  return staying.length > 0 ? staying : pods;
}
