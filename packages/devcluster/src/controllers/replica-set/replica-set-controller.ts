import {
  Controller,
  controllerOf,
  type InformerFactory,
  isControlledBy,
  type Kube,
  type KubeObject,
  type Logger,
  matchesSelector,
  type Reconciler,
  sameJson,
} from '@slipway/kube';
import { refOf } from '../api/object-ref.js';
import { pods } from '../api/pods.js';
import { type ReplicaSet, replicaSets } from '../api/workloads.js';
import { retryLostRaces } from '../lost-race.js';
import { indexByController, ownedOrOrphaned } from '../ownership/by-controller.js';
import { claim } from '../ownership/claim.js';
import { planClaims } from '../ownership/plan-claims.js';
import { RecentWrites } from '../recent-writes.js';
import { changePods } from './change-pods.js';
import { planReplicas } from './plan-replicas.js';
import { nextAvailableInMs, replicaSetStatus } from './replica-set-status.js';

/** What the controllers of workloads need. */
export interface WorkloadDeps {
  readonly kube: Kube;
  readonly informers: InformerFactory;
  readonly log: Logger;
}

/** Keeps as many pods as each ReplicaSet asks for. */
export function replicaSetController(deps: WorkloadDeps): Controller {
  const sets = deps.informers.informer(replicaSets);
  const selectingOrphan = (pod: KubeObject) =>
    controllerOf(pod)
      ? []
      : sets.lister
          .list({ namespace: pod.metadata.namespace })
          .filter((set) => matchesSelector(set.spec.selector, pod.metadata.labels))
          .map(refOf);
  return new Controller({
    ...deps,
    name: 'replicaset-controller',
    for: replicaSets,
    owns: [pods],
    watches: [{ of: pods, map: selectingOrphan }],
    workers: 5,
    reconcile: retryLostRaces(replicaSetReconciler(deps)),
  });
}

/** Observes one ReplicaSet and its pods, moves the number of pods towards the one wanted, records the outcome. */
export function replicaSetReconciler({ kube, informers }: Omit<WorkloadDeps, 'log'>): Reconciler {
  const podInformer = informers.informer(pods);
  indexByController(podInformer);
  const podClient = kube.resource(pods);
  const setClient = kube.resource(replicaSets);
  const recentPods = new RecentWrites(podInformer, kube.clock);
  const recentSets = new RecentWrites(informers.informer(replicaSets), kube.clock);
  const candidates = (set: ReplicaSet) =>
    recentPods.over(ownedOrOrphaned(podInformer, set), (pod) => isControlledBy(pod, set));

  return async (ref, { signal, now, events }) => {
    const set = recentSets.get(ref);
    if (!set) return;
    const claims = { owners: setClient, objects: podClient, recent: recentPods };
    const owned = await claim(claims, set, set.spec.selector, candidates(set), signal);

    const plan = set.metadata.deletionTimestamp
      ? { create: 0, remove: [] }
      : planReplicas(set.spec.replicas, owned, now());
    const failed = await changePods({ podClient, recent: recentPods, events, signal }, set, plan);

    const isChanged = plan.create + plan.remove.length > 0;
    const after = isChanged ? planClaims(set, set.spec.selector, candidates(set)).owned : owned;
    const status = replicaSetStatus(set, after, failed?.failure, now());
    if (!sameJson(status, set.status)) {
      recentSets.wrote(await setClient.replaceStatus({ ...set, status }, { signal }));
    }
    if (failed) throw failed.error;
    const waitMs = nextAvailableInMs(after, set.spec.minReadySeconds ?? 0, now());
    return waitMs === undefined ? undefined : { requeueAfterMs: waitMs };
  };
}
