import { Controller, type KubeObject, type ObjectRef, type Reconciler, retryLostRaces } from '@slipway/kube';
import { type ResourceSlice, resourceSlices } from '@slipway/kube-objects/kinds/api/devices';
import { isFinished, isTerminating, type Pod, pods } from '@slipway/kube-objects/kinds/api/pods';
import { type ResourceClaim, resourceClaims } from '@slipway/kube-objects/kinds/api/resource-claims';
import { markDisrupted } from '@slipway/kube-objects/rules/disruption-target';
import { isReservedFor, namedClaims, notOwnedBy } from '@slipway/kube-objects/rules/pod-resource-claims';
import type { WorkloadDeps } from '../workloads/workload-deps.js';
import { evictionTime } from './device-eviction.js';

const byPool = 'device-pool';

/** Deletes pods whose devices have a NoExecute taint, at once or after as long as their claims tolerate it. */
export function deviceTaintEvictionController(deps: WorkloadDeps): Controller {
  const claims = deps.informers.informer(resourceClaims);
  const slices = deps.informers.informer(resourceSlices);
  claims.addIndex(byPool, poolsOfClaim);
  slices.addIndex(byPool, poolsOfSlice);
  const usersOf = ({ metadata: { namespace }, status }: ResourceClaim): readonly ObjectRef[] =>
    (status?.reservedFor ?? []).map(({ name }) => ({ name, namespace }));
  const usersOfPool = (slice: KubeObject) =>
    poolsOfSlice(slice as ResourceSlice).flatMap((pool) => claims.lister.byIndex(byPool, pool).flatMap(usersOf));
  return new Controller({
    ...deps,
    name: 'device-taint-eviction',
    for: pods,
    watches: [
      { of: resourceClaims, map: (claim) => usersOf(claim as ResourceClaim) },
      { of: resourceSlices, map: usersOfPool },
    ],
    reconcile: retryLostRaces(deviceTaintEvictionReconciler(deps)),
  });
}

function poolsOfClaim({ status }: ResourceClaim): readonly string[] {
  return (status?.allocation?.devices?.results ?? []).map(({ driver, pool }) => `${driver}/${pool}`);
}

function poolsOfSlice({ spec }: ResourceSlice): readonly string[] {
  return [`${spec.driver}/${spec.pool.name}`];
}

function deviceTaintEvictionReconciler({ kube, informers }: Omit<WorkloadDeps, 'log'>): Reconciler {
  const podLister = informers.informer(pods).lister;
  const claimLister = informers.informer(resourceClaims).lister;
  const slices = informers.informer(resourceSlices).lister;

  const claimsOf = (pod: Pod) =>
    namedClaims(pod).flatMap(({ name, isOwn }) => {
      const claim = claimLister.get({ namespace: pod.metadata.namespace, name });
      return claim && isReservedFor(pod, claim) && !(isOwn && notOwnedBy(pod, claim)) ? [claim] : [];
    });

  return async (ref, { now, signal, events }) => {
    const pod = podLister.get(ref);
    if (!pod?.spec.resourceClaims || !pod.spec.nodeName || isTerminating(pod) || isFinished(pod)) return;
    const times = claimsOf(pod).flatMap(
      (claim) => evictionTime(claim, ({ driver, pool }) => slices.byIndex(byPool, `${driver}/${pool}`)) ?? [],
    );
    if (times.length === 0) return;
    const waitMs = Math.min(...times) - now();
    if (waitMs > 0) return { requeueAfterMs: waitMs };
    const { uid = '' } = pod.metadata;
    events.event(pod, 'Normal', 'DeviceTaintManagerEviction', 'Marking for deletion');
    await markDisrupted(kube, ref, uid, cause, signal);
    await kube.resource(pods).delete(ref, { preconditions: { uid }, signal });
    return;
  };
}

const cause = {
  reason: 'DeletionByDeviceTaintManager',
  message: 'Device Taint manager: deleting due to NoExecute taint',
  fails: false,
} as const;
