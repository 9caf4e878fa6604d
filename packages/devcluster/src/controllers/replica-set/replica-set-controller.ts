import { Controller, type InformerFactory, type Kube, type Logger, type Reconciler, sameJson } from '@slipway/kube';
import { pods } from '../api/pods.js';
import { replicaSets } from '../api/workloads.js';
import { retryLostRaces } from '../lost-race.js';
import { OwnedObjects } from '../ownership/owned-objects.js';
import { selectingOwners } from '../ownership/selecting-owners.js';
import { RecentWrites } from '../recent-writes.js';
import { restAfterMs } from '../rest-after.js';
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
  return new Controller({
    ...deps,
    name: 'replicaset-controller',
    for: replicaSets,
    owns: [pods],
    watches: [{ of: pods, map: selectingOwners(deps.informers, replicaSets) }],
    workers: 5,
    reconcile: retryLostRaces(replicaSetReconciler(deps)),
  });
}

/** Observes one ReplicaSet and its pods, moves the number of pods towards the one wanted, records the outcome. */
export function replicaSetReconciler({ kube, informers }: Omit<WorkloadDeps, 'log'>): Reconciler {
  const setClient = kube.resource(replicaSets);
  const recentSets = new RecentWrites(informers.informer(replicaSets), kube.clock);
  const own = new OwnedObjects({ kube, informers }, replicaSets, pods);

  return async (ref, { signal, now, events }) => {
    const set = recentSets.get(ref);
    if (!set) return;
    const owned = await own.claim(set, set.spec.selector, signal);

    const plan = set.metadata.deletionTimestamp
      ? { create: 0, remove: [] }
      : planReplicas(set.spec.replicas, owned, now());
    const failed = await changePods({ podClient: own.client, recent: own.recent, events, signal }, set, plan);

    const isChanged = plan.create + plan.remove.length > 0;
    const after = isChanged ? own.known(set, set.spec.selector) : owned;
    const status = replicaSetStatus(set, after, failed?.failure, now());
    if (!sameJson(status, set.status)) {
      recentSets.wrote(await setClient.replaceStatus({ ...set, status }, { signal }));
    }
    if (failed) throw failed.error;
    return {
      requeueAfterMs: nextAvailableInMs(after, set.spec.minReadySeconds ?? 0, now()),
      restMs: isChanged ? 0 : restAfterMs(after.length),
    };
  };
}
